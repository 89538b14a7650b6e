import { expect, onTestFinished, test } from 'vitest';
import { fixpoint } from '../entries/node.ts';

interface Todo {
  title: string;
  done: boolean;
  rank?: number;
}

test('stores documents of an interface, and does not check them at run time', async () => {
  const typed = fixpoint<Todo>('typed', { storage: 'memory' });
  onTestFinished(() => typed.destroy());
  await typed.put({ title: 'Milk', done: false, rank: 1 });
  await typed.put({ title: 'Bread', done: true });
  const { docs } = await typed.find({ where: { done: false, rank: { gte: 1 } }, sort: { rank: 'asc' } });
  expect(docs.map(({ title }) => title)).toEqual(['Milk']);
  expect((await typed.query('title')).rows.map(({ key }) => key)).toEqual(['Bread', 'Milk']);
  await typed.put({ title: 1 } as unknown as Todo);
  expect(await typed.count()).toBe(3);
});
