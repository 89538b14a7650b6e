import type { Database, FindOptions, References, SortDirection, Where } from 'fixpoint';
import { type Call, type Command, type Outcome, UsageError } from '../../command.ts';
import { DIRECTORY_OPTIONS, withDatabase } from '../../local-database.ts';

const LIMIT_DEFAULT = 20;
/** Options that name the fields to aggregate in each group. */
const AGGREGATES = ['sum', 'average', 'min', 'max'] as const;

export const find: Command = {
  usage: [
    'find <database> [--where JSON] [--search WORDS] [--sort FIELDS] [--with JSON] [--limit N] [--after PLACE]',
    'find <database> [--where JSON] --count',
    'find <database> [--where JSON] --group-by FIELDS [--sum|--average|--min|--max FIELDS]',
    'find <database> [--where JSON] [--search WORDS] [--sort FIELDS] --explain',
  ],
  options: {
    where: {
      type: 'string',
      value: 'JSON',
      help: 'conditions that documents must meet, such as \'{"rank": {"gt": 1}}\'',
    },
    search: {
      type: 'string',
      value: 'WORDS',
      help: 'words to search for; an application must have declared a full-text index',
    },
    sort: {
      type: 'string',
      value: 'FIELDS',
      help: 'fields to sort by, separated by commas, such as "rank desc, name"',
    },
    limit: {
      type: 'string',
      value: 'N',
      help: `maximum number of documents to print; default: ${LIMIT_DEFAULT}`,
    },
    with: {
      type: 'string',
      value: 'JSON',
      help: 'also print the documents that fields refer to, such as \'{"list": "lists/"}\'',
    },
    after: {
      type: 'string',
      value: 'PLACE',
      help: 'continue after the previous page: pass the `next` that it printed',
    },
    count: { type: 'boolean', help: 'print only the number of matching documents' },
    'group-by': {
      type: 'string',
      value: 'FIELDS',
      help: 'print the number of documents for each value of these fields, such as "list, done"',
    },
    ...Object.fromEntries(
      AGGREGATES.map((name) => [
        name,
        {
          type: 'string' as const,
          value: 'FIELDS',
          help: `with --group-by: also print the ${name} of these fields`,
        },
      ]),
    ),
    explain: { type: 'boolean', help: 'print which indexes the search would use' },
    ...DIRECTORY_OPTIONS,
  },
  takes: { '': 1 },
  run: async (call) => {
    const options = optionsOf(call);
    if (call.flag('count')) return counted(call, options);
    if (call.text('group-by') !== undefined) return grouped(call, options);
    return withDatabase(
      call,
      false,
      (db) => (call.flag('explain') ? explained(db, options) : found(db, options, call)),
      { indexes: 'stored' },
    );
  },
};

/** @throws UsageError */
function optionsOf({ text }: Call): FindOptions {
  const limit = text('limit') ?? String(LIMIT_DEFAULT);
  if (!/^[1-9]\d{0,8}$/.test(limit))
    throw new UsageError(`--limit must be a whole number above 0, not ${limit}`);
  return {
    where: jsonIn('where', text('where') ?? '{}') as Where,
    ...(text('with') !== undefined && { with: jsonIn('with', text('with') ?? '') as References }),
    search: text('search'),
    sort: Object.fromEntries((text('sort') ?? '').split(',').filter(Boolean).map(directionOf)),
    limit: Number(limit),
    after: text('after'),
  };
}

/** @throws UsageError */
function jsonIn(option: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new UsageError(`--${option} is not JSON: ${(cause as Error).message}`);
  }
}

const DESCENDING = / +desc$/;

function directionOf(text: string): readonly [string, SortDirection] {
  const field = text.trim();
  return DESCENDING.test(field) ? [field.replace(DESCENDING, ''), 'desc'] : [field, 'asc'];
}

/** @throws UsageError */
async function counted(call: Call, { where, search }: FindOptions): Promise<Outcome> {
  if (search !== undefined) throw new UsageError("--count doesn't work with --search");
  return withDatabase(
    call,
    false,
    async (db) => {
      const count = await db.count(where);
      return { json: { count }, lines: [String(count)] };
    },
    { indexes: 'stored' },
  );
}

/** @throws UsageError */
async function grouped(call: Call, { where, search }: FindOptions): Promise<Outcome> {
  if (search !== undefined) throw new UsageError("--group-by doesn't work with --search");
  const fieldsOf = (text = '') =>
    text
      .split(',')
      .map((field) => field.trim())
      .filter(Boolean);
  const lists = AGGREGATES.map((name) => [name, fieldsOf(call.text(name))]);
  return withDatabase(
    call,
    false,
    async (db) => {
      const groups = await db.groupBy(fieldsOf(call.text('group-by')), {
        where,
        ...Object.fromEntries(lists),
      });
      return { json: { groups }, lines: groups.map((group) => JSON.stringify(group)) };
    },
    { indexes: 'stored' },
  );
}

async function explained(db: Database, options: FindOptions): Promise<Outcome> {
  const explanation = await db.explain(options);
  return { json: explanation, lines: [JSON.stringify(explanation)] };
}

/** Returns a text as one argument for a shell. A cursor contains values that other people wrote. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

async function found(db: Database, options: FindOptions, { io, flag }: Call): Promise<Outcome> {
  const page = await db.find(options);
  if (page.next !== undefined && !flag('json'))
    io.note(`There are more documents. Continue with --after ${quoted(page.next)}`);
  return { json: page, lines: [...page.docs, ...(page.refs ?? [])].map((doc) => JSON.stringify(doc)) };
}
