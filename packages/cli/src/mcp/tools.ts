/** The tools that AI assistants may call. */
import { FixpointError } from '@fixpoint/protocol';
import { allowOnly, type Fields, fieldOf, fieldsOf, textOf } from '../served/checked-input.ts';
import type { Operations } from '../served/operations.ts';

type Schema = Readonly<Record<string, unknown>>;

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  /** Whether the tool is offered only with `--write`. */
  readonly isWrite: boolean;
  /** Returns JSON. @throws FixpointError */
  run(operations: Operations, args: Fields): Promise<string>;
}

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** Replacing or deleting the same document again changes nothing more. */
const WRITES = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

const text = (description: string): Schema => ({ type: 'string', description });
const ID = text('The id of the document.');
const LIMIT: Schema = {
  type: 'integer',
  minimum: 1,
  maximum: 1000,
  description: 'Maximum number of items; default 100.',
};
const AFTER = text('Continues after the previous page: its `next`.');
const WHERE: Schema = {
  type: 'object',
  description:
    'Conditions by field: a value, or an object of gt, gte, lt, lte, ne, in, startsWith, contains and exists, such as {"rank": {"gt": 1}}. `and`, `or` and `not` combine conditions.',
};

const inputOf = (properties: Schema, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});

const optionalText = (args: Fields, name: string): string | undefined => {
  const value = fieldOf(args, name);
  return value === undefined ? undefined : textOf(value, name);
};
const idOf = (args: Fields): string => textOf(fieldOf(args, 'id'), 'id');
const pageOf = (args: Fields) => ({ limit: fieldOf(args, 'limit'), after: optionalText(args, 'after') });

export const TOOLS: readonly Tool[] = [
  {
    name: 'list_documents',
    title: 'List documents',
    description: 'Returns documents sorted by id.',
    inputSchema: inputOf({ limit: LIMIT, after: AFTER, prefix: text('Only ids that begin with this text.') }),
    annotations: READS,
    isWrite: false,
    run: (operations, args) => operations.list({ ...pageOf(args), prefix: optionalText(args, 'prefix') }),
  },
  {
    name: 'get_document',
    title: 'Read a document',
    description: 'Returns the document with an id.',
    inputSchema: inputOf({ id: ID }, ['id']),
    annotations: READS,
    isWrite: false,
    run: async (operations, args) => (await operations.get(idOf(args))).json,
  },
  {
    name: 'find_documents',
    title: 'Find documents',
    description: 'Returns documents that match conditions, sorted by fields.',
    inputSchema: inputOf({
      where: WHERE,
      sort: {
        type: 'object',
        additionalProperties: { type: 'string', enum: ['asc', 'desc'] },
        description: 'Fields to sort by, the most important one first.',
      },
      search: text('Words that documents contain. Needs a full-text index.'),
      limit: LIMIT,
      after: AFTER,
    }),
    annotations: READS,
    isWrite: false,
    run: (operations, args) => operations.find(args),
  },
  {
    name: 'count_documents',
    title: 'Count documents',
    description: 'Returns the number of documents that match conditions.',
    inputSchema: inputOf({ where: WHERE }),
    annotations: READS,
    isWrite: false,
    run: (operations, args) => operations.count(args),
  },
  {
    name: 'get_history',
    title: 'Read the history of a document',
    description: 'Returns the versions of a document, newest first, with their time and device.',
    inputSchema: inputOf({ id: ID, limit: LIMIT, after: AFTER }, ['id']),
    annotations: READS,
    isWrite: false,
    run: (operations, args) => operations.history(idOf(args), pageOf(args)),
  },
  {
    name: 'list_changes',
    title: 'List changes',
    description:
      'Returns changed documents, oldest change first. Pass `position` as `since` of the next call, until `isLast` is true.',
    inputSchema: inputOf({
      since: text('A `position` of an earlier answer; `now` for the current one.'),
      limit: LIMIT,
    }),
    annotations: READS,
    isWrite: false,
    run: (operations, args) =>
      operations.changes({ limit: fieldOf(args, 'limit'), since: optionalText(args, 'since') }),
  },
  {
    name: 'list_conflicts',
    title: 'List conflicts',
    description: 'Returns documents with concurrent versions, each with all of these versions.',
    inputSchema: inputOf({ limit: LIMIT, after: AFTER }),
    annotations: READS,
    isWrite: false,
    run: (operations, args) => operations.conflicts(pageOf(args)),
  },
  {
    name: 'put_document',
    title: 'Write a document',
    description: 'Creates a document, or replaces all of its fields. Earlier versions stay in its history.',
    inputSchema: inputOf(
      { id: ID, document: { type: 'object', description: 'All fields of the document.' } },
      ['id', 'document'],
    ),
    annotations: WRITES,
    isWrite: true,
    run: async (operations, args) => {
      const id = idOf(args);
      await operations.put(id, fieldOf(args, 'document'));
      return JSON.stringify({ id });
    },
  },
  {
    name: 'delete_document',
    title: 'Delete a document',
    description: 'Deletes a document. Earlier versions stay in its history.',
    inputSchema: inputOf({ id: ID }, ['id']),
    annotations: WRITES,
    isWrite: true,
    run: async (operations, args) => {
      const id = idOf(args);
      await operations.del(id);
      return JSON.stringify({ id });
    },
  },
];

/**
 * Calls a tool with arguments that an assistant sent.
 * @throws FixpointError REQUEST_INVALID for arguments that the tool doesn't have
 */
export function callTool(tool: Tool, operations: Operations, given: unknown = {}): Promise<string> {
  const args = fieldsOf(given, 'the arguments');
  allowOnly(args, Object.keys(tool.inputSchema['properties'] as object), tool.name);
  return tool.run(operations, args);
}

/** @throws FixpointError NOT_FOUND */
export function toolNamed(name: unknown, mayWrite: boolean): Tool {
  const tool = TOOLS.find((one) => one.name === name);
  if (tool !== undefined && (mayWrite || !tool.isWrite)) return tool;
  const hint = tool === undefined ? '' : ': start the server with --write to offer it';
  throw new FixpointError('NOT_FOUND', `there is no tool ${String(name).slice(0, 100)}${hint}`);
}
