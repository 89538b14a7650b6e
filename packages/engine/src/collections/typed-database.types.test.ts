import { describe, expectTypeOf, test } from 'vitest';
import type { Engine } from '../entries/bridge.ts';
import { type Database, type DatabaseOf, fixpoint, type Stored } from '../entries/node.ts';

interface Todo {
  title: string;
  done: boolean;
  rank?: number;
  at: { city: string };
}
interface List {
  name: string;
  size: number;
}

describe('the type of a database of known documents', () => {
  test('derives reads and writes from the interface', () => {
    const calls = async (db: DatabaseOf<Todo>) => {
      expectTypeOf(await db.get('x')).toEqualTypeOf<Stored<Todo>>();
      expectTypeOf((await db.allDocs()).rows[0]?.value).toEqualTypeOf<Stored<Todo> | undefined>();
      expectTypeOf((await db.find()).docs[0]).toEqualTypeOf<Stored<Todo> | undefined>();
      expectTypeOf((await db.changes()).rows[0]?.value).toEqualTypeOf<Stored<Todo> | undefined>();
      expectTypeOf((await db.conflicts('x'))?.winner.value).toEqualTypeOf<Stored<Todo> | undefined>();
      expectTypeOf(await db.at([]).get('x')).toEqualTypeOf<Stored<Todo>>();
      const todo: Todo = { title: 'a', done: false, at: { city: 'Rome' } };
      await db.put(todo);
      await db.put({ ...todo, _id: 'x', _files: {} });
      await db.bulk([todo, todo], { del: ['x'] });
      await db.update('x', (one) => one && { ...one, done: true });
      await db.transact(async (tx) => tx.put(await tx.get('x')));
      db.subscribe((docs) => {
        for (const doc of docs) if (!('_deleted' in doc)) doc.title satisfies string;
      }, true);
      // @ts-expect-error: a missing field
      await db.put({ title: 'a' });
      // @ts-expect-error: a field that the interface lacks
      await db.put({ ...todo, titel: 'a' });
      // @ts-expect-error: a wrong type
      await db.bulk([{ ...todo, done: 'yes' }]);
      // @ts-expect-error: a wrong type
      await db.update('x', (one) => one && { ...one, rank: 'x' });
      // @ts-expect-error: the result has a field that the interface lacks
      await db.update('x', (one) => one && { ...one, rnak: 1 });
      // @ts-expect-error: a wrong type
      await db.transact((tx) => tx.put({ title: 1 }));
      // @ts-expect-error: no such field
      (await db.get('x')).titel;
    };
    expectTypeOf(calls).toBeFunction();
  });

  test('rejects fields, values and operators in queries that the interface lacks', () => {
    const calls = async (db: DatabaseOf<Todo>) => {
      await db.find({ where: { 'at.city': 'Rome', rank: { gte: 1 } }, sort: { rank: 'asc' }, search: 'a' });
      // @ts-expect-error: no such field
      await db.find({ where: { titel: 'a' } });
      // @ts-expect-error: a wrong value
      await db.find({ where: { done: 'yes' } });
      // @ts-expect-error: an operator for texts only
      await db.count({ rank: { startsWith: '1' } });
      // @ts-expect-error: no such operator
      await db.count({ rank: { above: 1 } });
      // @ts-expect-error: no such field to sort by
      await db.explain({ sort: { rnak: 'asc' } });
      const [group] = await db.groupBy('done', { sum: 'rank' });
      expectTypeOf(group?.key.done).toEqualTypeOf<boolean | undefined>();
      // @ts-expect-error: no such field to add up
      await db.groupBy('done', { sum: 'rnak' });
      expectTypeOf((await db.query('title')).rows[0]?.doc).toEqualTypeOf<Stored<Todo> | undefined>();
      await db.query((doc, emit) => emit(doc.at.city));
      // @ts-expect-error: no such field
      await db.query('titel');
      // @ts-expect-error: no such field
      await db.query((doc) => doc.titel);
    };
    expectTypeOf(calls).toBeFunction();
  });

  test('accepts each type of a union', () => {
    const calls = async (db: DatabaseOf<Todo | List>) => {
      await db.put({ name: 'a', size: 1 });
      expectTypeOf(await db.get<List>('x')).toEqualTypeOf<Stored<List>>();
      await db.find({ where: { name: 'a' } });
      expectTypeOf((await db.find<List>({ where: { size: 1 } })).docs[0]?.size).toEqualTypeOf<
        number | undefined
      >();
      await db.update<List>('x', (one) => one && { ...one, size: one.size + 1 });
      await db.query('size');
      // @ts-expect-error: a field of none of the types
      await db.find({ where: { titel: 'a' } });
      // @ts-expect-error: none of the types
      await db.put({ name: 'a' });
    };
    expectTypeOf(calls).toBeFunction();
  });

  test('belongs to handles of fixpoint and of an engine in a worker, which remain databases', () => {
    const open = () => fixpoint<Todo>('x');
    expectTypeOf<ReturnType<typeof open>>().toEqualTypeOf<DatabaseOf<Todo>>();
    expectTypeOf<DatabaseOf<Todo>>().toExtend<Database>();
    expectTypeOf<Database>().not.toExtend<DatabaseOf<Todo>>();
    const untyped = () => fixpoint('x');
    expectTypeOf<ReturnType<typeof untyped>>().toEqualTypeOf<Database>();
    const inWorker = (engine: Engine) => engine.open<Todo>('x');
    expectTypeOf<ReturnType<typeof inWorker>>().toExtend<DatabaseOf<Todo>>();
    expectTypeOf<ReturnType<typeof inWorker>['rows']>().toBeObject();
    // @ts-expect-error: not an object
    fixpoint<string>;
  });

  test('is not needed to write and read an interface', () => {
    const calls = async (db: Database, todo: Todo) => {
      await db.put(todo);
      await db.bulk([todo]);
      await db.update('x', () => todo);
      await db.transact((tx) => tx.put(todo));
      expectTypeOf(await db.get<Todo>('x')).toEqualTypeOf<Stored<Todo>>();
      expectTypeOf((await db.find<Todo>()).docs[0]).toEqualTypeOf<Stored<Todo> | undefined>();
      expectTypeOf((await db.query<Todo>('title')).docs?.[0]).toEqualTypeOf<Stored<Todo> | undefined>();
    };
    expectTypeOf(calls).toBeFunction();
  });
});
