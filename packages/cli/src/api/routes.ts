/** All requests of the API. The router and the OpenAPI document derive from this table. */

export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'header';
  readonly description: string;
  readonly schema: Schema;
}

export interface Answer {
  readonly status: number;
  readonly description: string;
  /** The name of a schema of the OpenAPI document; absent for answers without a body. */
  readonly schema?: string;
  readonly type?: 'application/json' | 'text/event-stream' | '*/*';
}

export interface Route {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  /** `open`: needs no token. `write`: rejected by an API that is read-only. */
  readonly access: 'open' | 'read' | 'write';
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  /** The name of the schema of the body. */
  readonly body?: string;
  /** `*`/`*` for a body of any type. Default: JSON. */
  readonly bodyType?: '*/*';
  readonly answer: Answer;
  /** Statuses of errors besides 400, 401, 403 and 500, each with its meaning. */
  readonly errors?: Readonly<Record<number, string>>;
}

const query = (name: string, description: string, schema: Schema = { type: 'string' }): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
});
const header = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

const LIMIT = query('limit', 'Maximum number of items, 1 to 1000. A page of large documents ends earlier.', {
  type: 'integer',
  minimum: 1,
  maximum: 1000,
  default: 100,
});
const AFTER = query('after', 'Continues after the previous page: its `next`.');
const SINCE = query(
  'since',
  'Returns changes after this `position` of an earlier answer. `now`: only later changes. `start`: all.',
);
const WAIT = query(
  'wait',
  'Answers only when the change is uploaded to the cloud. Needs an API that was started with a ledger.',
  { type: 'string', enum: ['cloud'] },
);
const IF_MATCH = header('If-Match', 'Writes only if the document has this `ETag`; `*`: if it exists.');
const IF_NONE_MATCH = header('If-None-Match', '`*`: writes only if the document does not exist.');
const NOT_FOUND = { 404: 'There is no such document.' };
const CONDITION = { 412: 'The document is not in the state that the condition requires.' };
const UPLOAD = { 503: 'With `wait`: the change is saved on this device, but was not uploaded.' };
const DROPPED = { 410: 'The database no longer has this position: start again without `since`.' };
const json = (schema: string, description: string, status = 200): Answer => ({ status, description, schema });

export const ROUTES = {
  listDocuments: {
    method: 'GET',
    path: '/documents',
    access: 'read',
    summary: 'List documents by id',
    parameters: [LIMIT, AFTER, query('prefix', 'Returns only documents whose ids begin with this text.')],
    answer: json('DocumentPage', 'Documents sorted by id.'),
  },
  createDocument: {
    method: 'POST',
    path: '/documents',
    access: 'write',
    summary: 'Create a document with a new id',
    description: 'If the document has an `_id`, this id is used, and an existing document is replaced.',
    parameters: [WAIT],
    body: 'NewDocument',
    answer: json('Written', 'The document is saved on this device.', 201),
    errors: UPLOAD,
  },
  getDocument: {
    method: 'GET',
    path: '/documents/{id}',
    access: 'read',
    summary: 'Read a document',
    parameters: [header('If-None-Match', 'Answers 304 if the document has this `ETag`.')],
    answer: json('Document', 'The document. Its `ETag` identifies its content.'),
    errors: { 304: 'The document has this `ETag`.', ...NOT_FOUND },
  },
  putDocument: {
    method: 'PUT',
    path: '/documents/{id}',
    access: 'write',
    summary: 'Create or replace a document',
    parameters: [IF_MATCH, IF_NONE_MATCH, WAIT],
    body: 'NewDocument',
    answer: json('Written', 'The document is saved on this device.'),
    errors: { ...CONDITION, ...UPLOAD },
  },
  deleteDocument: {
    method: 'DELETE',
    path: '/documents/{id}',
    access: 'write',
    summary: 'Delete a document',
    description: 'Succeeds even if the document does not exist, unless `If-Match` requires one.',
    parameters: [IF_MATCH, WAIT],
    answer: { status: 204, description: 'The document is deleted on this device.' },
    errors: { ...CONDITION, ...UPLOAD },
  },
  getHistory: {
    method: 'GET',
    path: '/documents/{id}/history',
    access: 'read',
    summary: 'List the versions of a document, newest first',
    parameters: [LIMIT, AFTER],
    answer: json('VersionPage', 'Versions, each with its time and device.'),
  },
  getFile: {
    method: 'GET',
    path: '/documents/{id}/files/{name}',
    access: 'read',
    summary: 'Read an attached file',
    parameters: [
      header('If-None-Match', 'Answers 304 if the file has this `ETag`.'),
      header('Range', 'Returns one range of bytes, such as `bytes=0-99`.'),
      header('If-Range', 'Ignores `Range` unless the file has this `ETag`.'),
    ],
    answer: {
      status: 200,
      description: 'The content, with the type of the file. Its `ETag` identifies the content.',
      schema: 'File',
      type: '*/*',
    },
    errors: {
      206: 'The range of the content.',
      304: 'The file has this `ETag`.',
      404: 'There is no such document, or it has no such file.',
      416: 'The file has fewer bytes.',
    },
  },
  putFile: {
    method: 'PUT',
    path: '/documents/{id}/files/{name}',
    access: 'write',
    summary: 'Attach a file, or replace one',
    description:
      'The body is the content, at most 64 MB. Its `Content-Type` is the type of the file. The document must exist.',
    parameters: [WAIT],
    body: 'File',
    bodyType: '*/*',
    answer: json('Written', 'The file is saved on this device.'),
    errors: { ...NOT_FOUND, ...UPLOAD },
  },
  deleteFile: {
    method: 'DELETE',
    path: '/documents/{id}/files/{name}',
    access: 'write',
    summary: 'Remove an attached file',
    description: 'Succeeds even if the document has no such file.',
    parameters: [WAIT],
    answer: { status: 204, description: 'The document has no such file on this device.' },
    errors: { ...NOT_FOUND, ...UPLOAD },
  },
  find: {
    method: 'POST',
    path: '/find',
    access: 'read',
    summary: 'Find documents by conditions and words',
    body: 'Search',
    answer: json('FoundPage', 'The documents that match, in the requested order.'),
  },
  count: {
    method: 'POST',
    path: '/count',
    access: 'read',
    summary: 'Count documents',
    body: 'CountSearch',
    answer: json('Count', 'The number of documents that match.'),
  },
  listChanges: {
    method: 'GET',
    path: '/changes',
    access: 'read',
    summary: 'List changes, oldest first',
    description:
      'Every change is returned at least once, with the current content of the document. Pass `position` as `since` of the next request, until `isLast` is true.',
    parameters: [SINCE, LIMIT],
    answer: json('ChangePage', 'Changes after the position.'),
    errors: DROPPED,
  },
  streamChanges: {
    method: 'GET',
    path: '/changes/stream',
    access: 'read',
    summary: 'Receive changes as they happen, as server-sent events',
    description:
      'Sends an event `position` first, then an event `changes` for each page of changes. The data of both have the form of `ChangePage`. Without `since` and `Last-Event-ID`, only later changes are sent.',
    parameters: [
      SINCE,
      LIMIT,
      header('Last-Event-ID', 'Continues after this event. Takes precedence over `since`.'),
    ],
    answer: {
      status: 200,
      description: 'A stream that ends when the server stops.',
      schema: 'EventStream',
      type: 'text/event-stream',
    },
    errors: { 429: 'Too many streams are open.', ...DROPPED },
  },
  listConflicts: {
    method: 'GET',
    path: '/conflicts',
    access: 'read',
    summary: 'List documents with concurrent versions, by id',
    parameters: [LIMIT, AFTER],
    answer: json('ConflictPage', 'Documents with a conflict, each with all of its current versions.'),
  },
  health: {
    method: 'GET',
    path: '/health',
    access: 'open',
    summary: 'Check that the API runs',
    description: 'With the token, the answer also describes the sync.',
    answer: json('Health', 'The API runs.'),
  },
  openApi: {
    method: 'GET',
    path: '/openapi.json',
    access: 'open',
    summary: 'This document',
    answer: json('OpenApi', 'An OpenAPI document.'),
  },
} as const satisfies Readonly<Record<string, Route>>;

export type RouteId = keyof typeof ROUTES;

export interface Match {
  readonly id: RouteId;
  readonly route: Route;
  /** The id in the path; undefined if the path has none. */
  readonly documentId: string | undefined;
  /** The name of the file in the path; undefined if the path has none. */
  readonly fileName: string | undefined;
}

const table: readonly (readonly [RouteId, Route, readonly string[]])[] = Object.entries(ROUTES).map(
  ([id, route]) => [id as RouteId, route, route.path.split('/')],
);

/** Returns the routes of a path, whatever their methods. */
export function routesAt(path: string): readonly Match[] {
  const parts = path.split('/');
  return table.flatMap(([id, route, wanted]) => {
    if (wanted.length !== parts.length) return [];
    const isAt = wanted.every((part, at) => part === parts[at] || (part.startsWith('{') && parts[at] !== ''));
    const valueAt = (name: string) => parts[wanted.indexOf(name)];
    return isAt ? [{ id, route, documentId: valueAt('{id}'), fileName: valueAt('{name}') }] : [];
  });
}
