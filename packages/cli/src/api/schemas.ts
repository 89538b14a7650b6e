/** The schemas of the OpenAPI document, by name. */
import { LIMIT_DEFAULT, LIMIT_MAX } from '../served/checked-input.ts';
import type { Schema } from './routes.ts';

const text = (description: string): Schema => ({ type: 'string', description });
const list = (of: string, description: string): Schema => ({
  type: 'array',
  items: { $ref: `#/components/schemas/${of}` },
  description,
});
const object = (properties: Schema, required: readonly string[], more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  ...more,
});

const WHERE: Schema = {
  type: 'object',
  additionalProperties: true,
  description:
    'Conditions by field, such as `{"rank": {"gt": 1}}`: a value, or an object of `gt`, `gte`, `lt`, `lte`, `ne`, `in`, `startsWith`, `contains`, `exists`, `type` and `matches`. `and`, `or` and `not` combine conditions.',
};
const NEXT = text('Pass this as `after` to get the next page; absent on the last page.');
const UNREAD: Schema = {
  type: 'array',
  items: { type: 'string' },
  description:
    'Events that can’t be read, so that there may be more conflicts or versions; absent if there are none.',
};
const VERSION: Schema = object(
  {
    event: text('The event that wrote this version.'),
    parents: { type: 'array', items: { type: 'string' }, description: 'The state before it.' },
    time: {
      type: 'integer',
      description: 'Milliseconds since 1970, by the clock of the device that wrote it.',
    },
    device: text('The device that wrote it.'),
    signature: text('Whether the signature of the event is valid; absent without one.'),
    value: { $ref: '#/components/schemas/Document' },
    concurrent: { type: 'boolean', description: 'Whether another version was written at the same time.' },
    isDropped: { type: 'boolean', description: 'The content is no longer on this device.' },
    isUnreadable: { type: 'boolean', description: 'The stored content is missing or damaged.' },
    isHorizon: { type: 'boolean', description: 'Older versions were dropped.' },
  },
  ['event', 'parents', 'concurrent'],
  { additionalProperties: true },
);

export const SCHEMAS: Readonly<Record<string, Schema>> = {
  Document: object({ _id: text('The id.') }, ['_id'], {
    additionalProperties: true,
    description:
      'A document: any JSON object. Bytes have the form `{"/": {"bytes": "<base64 without padding>"}}`.',
  }),
  NewDocument: object({ _id: text('The id; the same as in the path, if there is one.') }, [], {
    additionalProperties: true,
  }),
  File: { type: 'string', format: 'binary', description: 'The content of a file.' },
  Written: object({ id: text('The id of the document.') }, ['id']),
  DocumentPage: object({ docs: list('Document', 'Documents.'), next: NEXT }, ['docs']),
  FoundPage: object(
    {
      docs: list('Document', 'Documents.'),
      refs: list('Document', 'Documents that `with` refers to.'),
      next: NEXT,
    },
    ['docs'],
  ),
  Search: object(
    {
      where: WHERE,
      search: text('Words that documents contain. Needs a full-text index, which an application declares.'),
      sort: {
        type: 'object',
        additionalProperties: { type: 'string', enum: ['asc', 'desc'] },
        description: 'Fields to sort by, the most important one first.',
      },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: LIMIT_MAX,
        description: `Maximum number of documents, ${LIMIT_DEFAULT} by default.`,
      },
      after: text('Continues after the previous page: its `next`.'),
      with: { type: 'object', additionalProperties: true, description: 'References to follow.' },
    },
    [],
    { additionalProperties: false },
  ),
  CountSearch: object({ where: WHERE }, [], { additionalProperties: false }),
  Count: object({ count: { type: 'integer', minimum: 0 } }, ['count']),
  Change: object(
    {
      id: text('The id of the document.'),
      event: text('The event that wrote it.'),
      doc: { $ref: '#/components/schemas/Document' },
      deleted: { type: 'boolean', description: 'Present if the document is deleted; `doc` is then absent.' },
    },
    ['id', 'event'],
  ),
  ChangePage: object(
    {
      changes: list('Change', 'Changes, oldest first.'),
      position: text('The position after these changes.'),
      isLast: { type: 'boolean', description: 'Whether these are all changes so far.' },
    },
    ['changes', 'position', 'isLast'],
  ),
  EventStream: { type: 'string', description: 'Server-sent events.' },
  Version: VERSION,
  VersionPage: object({ versions: list('Version', 'Versions, newest first.'), next: NEXT }, ['versions']),
  ConflictPage: object(
    { conflicts: list('Conflict', 'Documents, sorted by id.'), unread: UNREAD, next: NEXT },
    ['conflicts'],
  ),
  Conflict: object(
    {
      id: text('The id of the document.'),
      winner: { $ref: '#/components/schemas/Version' },
      losers: list('Version', 'The other versions. Writing the document resolves the conflict.'),
      unread: UNREAD,
    },
    ['id', 'winner', 'losers'],
  ),
  Health: object(
    {
      status: { type: 'string', enum: ['ok'] },
      sync: object(
        {
          state: text('The state of the sync, such as `in-sync` or `offline`.'),
          toSend: { type: 'integer', description: 'Number of archives to upload.' },
          toFetch: { type: 'integer', description: 'Number of archives to download.' },
          error: text('The code of the error that stops the sync.'),
        },
        ['state', 'toSend', 'toFetch'],
      ),
    },
    ['status'],
  ),
  OpenApi: { type: 'object', additionalProperties: true },
  Error: object(
    {
      error: object({ code: text('A stable code, such as `NOT_FOUND`.'), message: text('What happened.') }, [
        'code',
        'message',
      ]),
    },
    ['error'],
  ),
};
