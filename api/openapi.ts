import { z } from 'zod';
import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { Route } from './route';

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = ReturnType<typeof createDocument>;

/**
 * The document of exactly these routes. A route's permission stands in `x-permission`.
 * @see UT-246
 */
export function openApiDocument(routes: readonly Route[]): OpenApiDocument {
  const paths: Record<string, NonNullable<ZodOpenApiPathsObject[string]>> = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route) };
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version: '0.1.0',
      description:
        'Durable human work for Temporal: find, claim and finish the tasks that workflows raise.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: ['Tasks', 'Commands', 'Participants', 'Webhooks', 'Operations'].map((name) => ({ name })),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
    paths,
  });
}

function operationOf(route: Route): Route['operation'] {
  if (route.permission === null) return { ...route.operation, security: [] };
  const description =
    `${route.operation.description ?? ''}\n\nNeeds \`${route.permission}\`.`.trim();
  return {
    ...route.operation,
    description,
    security: [{ bearer: [] }],
    'x-permission': route.permission,
  };
}

/** `GET /openapi.json`. */
export function openApiRoute(document: () => OpenApiDocument): Route {
  return {
    method: 'get',
    path: '/openapi.json',
    permission: null,
    operation: {
      operationId: 'openApiDocument',
      tags: ['Operations'],
      summary: 'This document',
      responses: {
        '200': {
          description: 'OpenAPI 3.1.',
          content: { 'application/json': { schema: z.looseObject({ openapi: z.string() }) } },
        },
      },
    },
    handle: (_request, response) => {
      response.json(document());
      return Promise.resolve();
    },
  };
}
