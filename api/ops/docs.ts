import { dirname } from 'node:path';
import express, { type RequestHandler, Router } from 'express';

const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Countersign API</title>
  <link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
  <div id="reference"></div>
  <script src="/docs/swagger-ui-bundle.js"></script>
  <script src="/docs/start.js"></script>
</body>
</html>
`;

/** The validator badge would send the document's address to a stranger. */
const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, validatorUrl: null });
`;

/** What the page loads, all of it from here: it works without internet. */
const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js'];

/** Where they lie; the package's own answer would load the whole page into this process. */
const ASSET_FOLDER = dirname(require.resolve('swagger-ui-dist/package.json'));

/** The reference page at `/docs`, which reads `/openapi.json` and lets one try every route. */
export function docsPage(): Router {
  const router = Router();
  router.get('/', (_request, response) => void response.type('html').send(PAGE));
  router.get('/start.js', (_request, response) => void response.type('js').send(START));
  router.use(onlyAssets, express.static(ASSET_FOLDER, { index: false, maxAge: '1 day' }));
  return router;
}

/** The package holds more than the page needs. */
const onlyAssets: RequestHandler = (request, _response, next) => {
  next(ASSETS.includes(request.path.slice(1)) ? undefined : 'router');
};
