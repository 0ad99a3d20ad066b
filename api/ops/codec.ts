import cors from 'cors';
import express, { Router, type RequestHandler } from 'express';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { z } from 'zod';
import { Problem } from '../problem';

/** What the codec endpoint needs. */
export interface CodecDependencies {
  readonly codec: PayloadCodec;
  /** Origins of the Temporal UIs that may ask, for example `http://127.0.0.1:8233`. */
  readonly uiOrigins: readonly string[];
  /** Lets only those pass who hold `payloads:decode`. */
  readonly guards: readonly RequestHandler[];
}

/** Cookie in which the Temporal UI brings an operator's token, since it has no other way without a sign-in of its own. */
const COOKIE = 'countersign_codec';

const MAXIMUM_BODY = '20mb';

const payloads = z.object({
  payloads: z.array(
    z.object({ metadata: z.record(z.string(), z.base64()).nullish(), data: z.base64().nullish() }),
  ),
});

/**
 * Temporal's remote codec: decodes the payloads that operators look at in the Temporal UI or with the command line
 * (`--codec-endpoint`). Payloads say nothing of whose task they belong to, hence a grant of its own that no module's
 * grants include. `GET sign-in` is a page where an operator leaves a token for the UI.
 * @see UT-386; Temporal's "Remote data encoding"
 */
export function codecRouter({ codec, uiOrigins, guards }: CodecDependencies): Router {
  const router = Router();
  const json = express.json({ limit: MAXIMUM_BODY });
  router.use(cors({ origin: [...uiOrigins], credentials: true, methods: ['POST'], maxAge: 600 }));
  router.get('/sign-in', (_request, response) => {
    response.type('html').send(SIGN_IN_PAGE);
  });
  router.post(
    '/sign-in',
    express.urlencoded({ extended: false, limit: '16kb' }),
    (request, response) => {
      const { token } = z
        .object({
          token: z
            .string()
            .trim()
            .regex(/^[\w.~+/=-]{1,8192}$/),
        })
        .parse(request.body);
      response.cookie(COOKIE, token, {
        httpOnly: true,
        sameSite: 'strict',
        secure: request.secure,
        path: '/codec',
      });
      response.type('html').send(SIGNED_IN_PAGE);
    },
  );
  router.post('/decode', tokenFromCookie, ...guards, json, (request, response, next) => {
    answer(request.body, (given) => codec.decode(given)).then((body) => response.json(body), next);
  });
  return router;
}

/** A browser that has signed in sends its token as a cookie; from there on it counts like any other. */
const tokenFromCookie: RequestHandler = (request, _response, next) => {
  const token = new RegExp(`(?:^|;\\s*)${COOKIE}=([^;]+)`).exec(request.headers.cookie ?? '')?.[1];
  if (request.headers.authorization === undefined && token !== undefined) {
    request.headers.authorization = `Bearer ${decodeURIComponent(token)}`;
  }
  next();
};

async function answer(
  body: unknown,
  convert: (given: Payload[]) => Promise<Payload[]>,
): Promise<unknown> {
  const read = payloads.safeParse(body);
  if (!read.success) throw new Problem('invalid-request', 'The body must be Temporal payloads.');
  const converted = await convert(read.data.payloads.map(payloadOf)).catch((error: unknown) => {
    throw new Problem('invalid-request', 'A payload cannot be decoded.', { cause: error });
  });
  return { payloads: converted.map(wireOf) };
}

function payloadOf({ metadata, data }: z.output<typeof payloads>['payloads'][number]): Payload {
  const entries = Object.entries(metadata ?? {}).map(
    ([key, value]) => [key, Buffer.from(value, 'base64')] as const,
  );
  return { metadata: Object.fromEntries(entries), data: Buffer.from(data ?? '', 'base64') };
}

function wireOf({ metadata, data }: Payload): unknown {
  const entries = Object.entries(metadata ?? {}).map(([key, value]) => [
    key,
    Buffer.from(value).toString('base64'),
  ]);
  return {
    metadata: Object.fromEntries(entries) as unknown,
    data: Buffer.from(data ?? []).toString('base64'),
  };
}

const page = (content: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Countersign codec</title><h1>Read payloads in the Temporal UI</h1>${content}</html>`;

const SIGN_IN_PAGE = page(
  '<form method="post"><p><label>Access token with the permission <code>payloads:decode</code><br>' +
    '<textarea name="token" rows="6" cols="80" required></textarea></label></p><p><button>Sign in</button></p></form>',
);

const SIGNED_IN_PAGE = page(
  '<p>The Temporal UI may now show decoded payloads in this browser. In its data encoder settings, name this codec endpoint and let it include cross-origin credentials.</p>',
);
