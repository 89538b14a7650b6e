import { type Answer, ROUTES, type Route, type Schema } from './routes.ts';
import { SCHEMAS } from './schemas.ts';

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

const COMMON_ERRORS: Readonly<Record<number, string>> = {
  400: 'The request is invalid.',
  401: 'The token is missing or wrong.',
  403: 'The request came from another website, or the API is read-only.',
  500: 'An unexpected error.',
};

const bodyOf = (schema: string, type = 'application/json'): Schema => ({ [type]: { schema: ref(schema) } });

/** An answer with status 304 has no body by definition. */
const contentOf = (status: number): Schema => (status === 304 ? {} : { content: bodyOf('Error') });

function answersOf({ answer, errors = {} }: Route): Schema {
  const { status, description, schema, type }: Answer = answer;
  const content = schema === undefined ? {} : { content: bodyOf(schema, type) };
  const failures = Object.entries({ ...COMMON_ERRORS, ...errors }).map(([code, why]) => [
    code,
    { description: why, ...(code === '206' ? content : contentOf(Number(code))) },
  ]);
  return {
    [status]: { description, ...content },
    ...Object.fromEntries(failures),
  };
}

const PATH_VALUES = [
  { name: 'id', description: 'The id, percent-encoded.' },
  { name: 'name', description: 'The name of the file, percent-encoded.' },
];

function operationOf(id: string, route: Route): Schema {
  const { summary, description, path, parameters = [], body, bodyType, access } = route;
  const inPath = PATH_VALUES.filter(({ name }) => path.includes(`{${name}}`)).map((value) => ({
    ...value,
    ...{ in: 'path', required: true, schema: { type: 'string' } },
  }));
  return {
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    ...(access === 'open' && { security: [] }),
    ...(inPath.length + parameters.length > 0 && { parameters: [...inPath, ...parameters] }),
    ...(body !== undefined && { requestBody: { required: true, content: bodyOf(body, bodyType) } }),
    responses: answersOf(route),
  };
}

/**
 * Returns the OpenAPI document. It names neither the database nor the ledger, because it needs no
 * token.
 * @param url the address at which the server listens
 */
export function openApiDocument(url: string, version: string): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const [id, route] of Object.entries(ROUTES))
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(id, route) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fixpoint local API',
      version,
      description: 'Documents of a local-first database, served next to its keys.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token in the file that the command names.',
        },
      },
      schemas: SCHEMAS,
    },
  };
}
