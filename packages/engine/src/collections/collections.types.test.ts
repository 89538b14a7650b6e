import { describe, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { BridgedDatabase, Engine } from '../entries/bridge.ts';
import {
  collection,
  type DatabaseWith,
  type PathOf,
  type TypedWhere,
  type ValueAt,
} from '../entries/node.ts';
import { liveDocument } from '../live/live-document.ts';

interface Order {
  readonly title: string;
  readonly paid?: boolean;
  readonly rank: number | null;
  readonly tags: readonly string[];
  readonly to: { readonly city: string; readonly zip?: number };
  readonly lines: readonly { readonly sku: string; readonly count: number }[];
  readonly at: Date;
}

const orders = collection('orders', {
  schema: z.object({ title: z.string(), rank: z.number().default(0), to: z.object({ city: z.string() }) }),
  indexes: ['rank', ['to.city', 'rank']],
  search: ['title'],
});
type Db = DatabaseWith<{ orders: typeof orders }>;

describe('the type of a collection', () => {
  test('contains the paths of a document, and the types of the values there', () => {
    expectTypeOf<PathOf<Order>>().toEqualTypeOf<
      | ('title' | 'paid' | 'rank' | 'tags' | 'tags[]' | 'to' | 'to.city' | 'to.zip')
      | ('lines' | 'lines[]' | 'lines[].sku' | 'lines[].count' | 'at')
    >();
    expectTypeOf<ValueAt<Order, 'to.zip'>>().toEqualTypeOf<number | undefined>();
    expectTypeOf<ValueAt<Order, 'lines[].sku'>>().toEqualTypeOf<string>();
    expectTypeOf<ValueAt<Order, 'tags[]'>>().toEqualTypeOf<string>();
  });

  test('contains the fields of each type of a union, and of values of any type', () => {
    type Shape = { kind: 'circle'; radius: number } | { kind: 'text'; text: string };
    ({ kind: 'circle', radius: { gt: 1 } }) satisfies TypedWhere<Shape>;
    ({ text: { startsWith: 'a' } }) satisfies TypedWhere<Shape>;
    // @ts-expect-error: no such field in any of the types
    ({ color: 'red' }) satisfies TypedWhere<Shape>;
    type Loose = { title: string; more: unknown; [name: string]: unknown };
    ({ title: 'a', more: 1 }) satisfies TypedWhere<Loose>;
    // @ts-expect-error: a known field with a wrong value
    ({ title: 1 }) satisfies TypedWhere<Loose>;
    // @ts-expect-error: an undefined operand, which the engine rejects
    ({ paid: { eq: undefined } }) satisfies TypedWhere<Order>;
  });

  test('accepts conditions only with known fields and the right operators and values', () => {
    type W = TypedWhere<Order>;
    const right: readonly W[] = [
      { title: 'a', paid: true, rank: null },
      { rank: { gte: 1, lt: 5 }, title: { startsWith: 'a' }, tags: { contains: 'x' } },
      { 'tags[]': 'x', 'to.city': { in: ['Rome'] }, 'lines[].count': { gt: 1 }, at: { lt: new Date() } },
      { _id: { startsWith: 'x' }, or: [{ not: { paid: { exists: false } } }] },
      { to: { eq: { city: 'Rome' } } },
    ];
    expectTypeOf(right).toExtend<readonly W[]>();
    // @ts-expect-error: no such field
    ({ titel: 'a' }) satisfies W;
    // @ts-expect-error: no such field of a field
    ({ 'to.town': 'a' }) satisfies W;
    // @ts-expect-error: a value of another type
    ({ rank: '1' }) satisfies W;
    // @ts-expect-error: an operand of another type
    ({ rank: { gt: '1' } }) satisfies W;
    // @ts-expect-error: no such operator
    ({ rank: { above: 1 } }) satisfies W;
    // @ts-expect-error: an operator for texts only
    ({ rank: { startsWith: '1' } }) satisfies W;
    // @ts-expect-error: a wrong condition inside of others
    ({ and: [{ or: [{ paid: 'yes' }] }] }) satisfies W;
  });

  test('derives documents, writes, searches and transactions from the schema', () => {
    type Out = { title: string; rank: number; to: { city: string }; _id: string };
    expectTypeOf<Awaited<ReturnType<Db['orders']['get']>>>().toExtend<Out>();
    expectTypeOf<Awaited<ReturnType<Db['orders']['find']>>['docs'][number]>().toExtend<Out>();
    const calls = async (db: Db) => {
      await db.orders.put({ title: 'a', to: { city: 'Rome' } });
      // @ts-expect-error: a missing field
      await db.orders.put({ title: 'a' });
      // @ts-expect-error: a wrong type
      await db.orders.put({ title: 1, to: { city: 'Rome' } });
      // @ts-expect-error: no such field
      await db.orders.put({ title: 'a', to: { city: 'Rome' }, more: 1 });
      await db.orders.update('x', (one) => one && { ...one, rank: one.rank + 1 });
      // @ts-expect-error: the result breaks the schema
      await db.orders.update('x', (one) => one && { ...one, rank: 'x' });
      // @ts-expect-error: the result has a field that the schema lacks
      await db.orders.update('x', (one) => one && { ...one, rnak: 1 });
      await db.orders.update('x', (one) => (one === undefined ? undefined : { ...one, _files: {} }));
      (await (await db.orders.get('x'))._files?.['bill']?.file()) satisfies File | undefined;
      const { docs: found } = await db.orders.find();
      found[0]?._files?.['bill']?.size satisfies number | undefined;
      await db.orders.update(
        'x',
        (one) => one && { ...one, _files: { ...one._files, bill: new File([], 'b') } },
      );
      await db.orders.update('x', () => undefined);
      await db.orders.update('x', (one) => one);
      await db.orders.find({ where: { 'to.city': 'Rome' }, sort: { rank: 'desc', _id: 'asc' } });
      // @ts-expect-error: no such field to sort by
      await db.orders.find({ sort: { rnk: 'desc' } });
      // @ts-expect-error: no such condition
      await db.orders.count({ rank: { gt: 'x' } });
      const [group] = await db.orders.groupBy('to.city', { sum: 'rank', max: ['rank', 'title'] });
      group?.key['to.city'] satisfies string | undefined;
      group?.max.title satisfies string | undefined;
      // @ts-expect-error: no such field to group by
      await db.orders.groupBy('city');
      // @ts-expect-error: no such field to add up
      await db.orders.groupBy([], { sum: 'rnk' });
      await db.transact(async (tx) => (await tx.orders.get('x')).rank satisfies number);
      // @ts-expect-error: no such collection
      db.todos;
    };
    expectTypeOf(calls).toBeFunction();
  });

  test('accepts each type of a union in an update, and unknown fields if the schema does', () => {
    const shapes = collection('shapes', {
      schema: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('circle'), radius: z.number() }),
        z.object({ kind: z.literal('text'), text: z.string() }),
      ]),
    });
    const loose = collection('loose', { schema: z.looseObject({ title: z.string() }) });
    const calls = async (db: DatabaseWith<{ shapes: typeof shapes; loose: typeof loose }>) => {
      await db.shapes.update('x', (one) => (one?.kind === 'circle' ? { ...one, radius: 1 } : undefined));
      await db.shapes.update('x', (one) => one ?? { kind: 'text', text: 'a' });
      // @ts-expect-error: a field of none of the types
      await db.shapes.update('x', () => ({ kind: 'text', text: 'a', color: 'red' }));
      await db.loose.update('x', (one) => one && { ...one, more: 1 });
    };
    expectTypeOf(calls).toBeFunction();
  });

  test('has attached files in drafts', () => {
    const calls = (db: Db, initial: { title: string; rank: number; to: { city: string } }) => {
      const { doc, merge } = liveDocument(db.orders, initial).current();
      merge({ _files: { bill: new File([], 'b') } });
      doc._files?.['bill']?.size satisfies number | undefined;
      // @ts-expect-error: no such field
      merge({ bill: 1 });
    };
    expectTypeOf(calls).toBeFunction();
  });

  test('is the same in the page of an engine in a worker', () => {
    const open = (engine: Engine) => engine.open('shop', { collections: { orders } });
    type Bridged = ReturnType<typeof open>;
    expectTypeOf<Bridged['orders']>().toEqualTypeOf<Db['orders']>();
    expectTypeOf<Bridged['transact']>().toEqualTypeOf<Db['transact']>();
    expectTypeOf<Bridged>().toExtend<BridgedDatabase>();
    expectTypeOf<ReturnType<Engine['open']>>().toEqualTypeOf<BridgedDatabase>();
    const calls = async (db: Bridged) => {
      (await db.rows.window()).total satisfies number | undefined;
      // @ts-expect-error: a wrong type
      await db.orders.put({ title: 1, to: { city: 'Rome' } });
      // @ts-expect-error: the result breaks the schema
      await db.orders.update('x', (one) => one && { ...one, rank: 'x' });
      // @ts-expect-error: no such field
      await db.orders.update('x', () => ({ title: 'a', to: { city: 'Rome' }, more: 1 }));
      // @ts-expect-error: no such collection
      db.todos;
    };
    expectTypeOf(calls).toBeFunction();
    // @ts-expect-error: not a collection
    (engine: Engine) => engine.open('shop', { collections: { orders: 1 } });
  });

  test('rejects indexes and searched fields that the schema lacks', () => {
    const schema = z.object({ a: z.string(), b: z.object({ c: z.number() }) });
    collection('x', { schema, indexes: ['a', ['b.c', 'a']], search: ['a'] });
    // @ts-expect-error: no such field
    collection('x', { schema, indexes: ['d'] });
    // @ts-expect-error: no such field
    collection('x', { schema, indexes: [['a', 'b.d']] });
    // @ts-expect-error: no such field
    collection('x', { schema, search: ['c'] });
  });
});
