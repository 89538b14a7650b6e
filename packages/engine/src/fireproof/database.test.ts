import { expect, expectTypeOf, test } from 'vitest';
import { memoryPlatform } from '../../tests/memory-platform.fixture.ts';
import { openDatabase } from '../database/open.ts';
import type {
  AllDocsResponse,
  BulkResponse,
  ChangesResponse,
  Database,
  DocResponse,
  DocSet,
  DocWithId,
  MapFn,
  QueryOpts,
  UnReg,
} from '../entries/fireproof-node.ts';
import { fireproofDatabase } from './database.ts';

const open = () => fireproofDatabase(openDatabase('notes', memoryPlatform().platform));

test('returns the head and the name of the database from each write', async () => {
  const db = open();
  const head = () => db.fixpoint.head();
  const name = 'notes';
  expect(await db.put({ _id: 'a' })).toEqual({ id: 'a', clock: await head(), name });
  expect(await db.bulk([{ _id: 'b' }, { _id: 'c' }])).toEqual({ ids: ['b', 'c'], clock: await head(), name });
  expect(await db.del('a')).toEqual({ id: 'a', clock: await head(), name });
  expect(await db.remove('b')).toEqual({ id: 'b', clock: await head(), name });
  expect((await db.allDocs()).clock).toEqual(await head());
  await db.close();
});

test('acknowledges a write that was pending when the database was closed', async () => {
  const db = open();
  await db.ready();
  const writing = db.put({ _id: 'a' });
  await db.close();
  expect(await writing).toMatchObject({ id: 'a', clock: [expect.any(String)] });
});

test('rejects a write with its own reason', async () => {
  const db = open();
  await expect(db.put({ _id: 'a', n: Number.NaN })).rejects.toMatchObject({ code: 'DOC_INVALID' });
  await db.close();
  await expect(db.put({ _id: 'a' })).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
});

test('stores class instances as their fields, at any depth', async () => {
  class Point {
    readonly x: number;
    readonly inner: unknown;
    constructor(x: number, inner?: unknown) {
      this.x = x;
      this.inner = inner;
    }
    get double() {
      return 2 * this.x;
    }
  }
  const db = open();
  const bytes = Uint8Array.of(1);
  const at = new Date(0);
  const file = new File(['text'], 'note.txt', { type: 'text/plain' });
  const doc = { _id: 'a', all: [new Point(1, { deep: new Point(2) })], bytes, at, _files: { file } };
  await db.put(doc);
  expect(await db.get('a')).toMatchObject({
    all: [{ x: 1, inner: { deep: { x: 2 } } }],
    bytes,
    at: at.toISOString(),
    _files: { file: { size: 4, type: 'text/plain' } },
  });
  expect(doc.all[0]).toBeInstanceOf(Point);
  const { ids } = await db.bulk([new Point(3)]);
  expect(await db.get(ids[0] as string)).toEqual({ _id: ids[0], x: 3 });
  const endless: { self?: unknown } = {};
  endless.self = endless;
  await expect(db.put(endless)).rejects.toMatchObject({ code: 'DOC_INVALID' });
  await expect(db.put({ map: new Map() })).rejects.toMatchObject({ code: 'DOC_INVALID' });
  await db.destroy();
});

test('has the types and type arguments of existing applications', () => {
  type Todo = { title: string; at: number };
  const calls = async (db: Database) => {
    (await db.put<Todo>({ title: 'a', at: 1 })) satisfies DocResponse;
    // @ts-expect-error: a wrong field
    await db.put<Todo>({ title: 1, at: 1 });
    (await db.bulk<Todo>([{ title: 'a', at: 1 }])) satisfies BulkResponse;
    const byTime = await db.query<Todo, number>('at', { range: [0, 9], descending: true });
    byTime.rows[0]?.key satisfies number | undefined;
    byTime.docs satisfies DocWithId<Todo>[];
    const rows = await db.query<Todo, [string, number]>((doc, emit) => emit([doc.title, doc.at]), {
      includeDocs: false,
    } as const);
    rows.rows[0]?.doc?.title satisfies string | undefined;
    (await db.allDocs<Todo>({ limit: 1 })) satisfies AllDocsResponse<Todo>;
    (await db.changes<Todo>([], { limit: 1 })) satisfies ChangesResponse<Todo>;
    db.subscribe<Todo>((docs) => void docs[0]?.title, true) satisfies UnReg;
    const set: DocSet<Todo> = { title: 'a', at: 1, _files: { picture: new File([], 'a') } };
    await db.put(set);
  };
  expectTypeOf(calls).toBeFunction();
  expectTypeOf<QueryOpts<string>['limit']>().toEqualTypeOf<number>();
  expectTypeOf<MapFn<Todo>>().parameter(0).toEqualTypeOf<DocWithId<Todo>>();
});
