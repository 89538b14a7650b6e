/** Tests pending writes of one tab while other tabs write to the same store in other ways. */
import { expect, test } from 'vitest';
import { connectWith } from '../src/bridge/client.ts';
import { serveWith } from '../src/bridge/serve.ts';
import { openDatabase } from '../src/database/open.ts';
import { fireproofDatabase } from '../src/fireproof/database.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';

/** Opens tabs over one store. Each tab has its own clock. */
function tabs() {
  const { platform, values, keys } = memoryPlatform();
  const open = (options = {}) =>
    openDatabase(
      'db',
      { ...memoryPlatform(values, keys).platform, random: platform.random },
      { commitEachWrite: false, ...options },
    );
  const rows = () => [...values.keys()].filter((key) => key.startsWith('pending/'));
  return { open, rows };
}

test.each([['a large write', {}, { text: 'x'.repeat(20_000) }]])(
  '[R9] commits older pending writes of other tabs before %s',
  async (_, options, more) => {
    const { open, rows } = tabs();
    const [one, two] = [open(), open(options)];
    await Promise.all([one.ready(), two.ready()]);
    await one.put({ _id: 'x', n: 1 });
    await one.put({ _id: 'y', n: 1 });
    expect(rows()).toHaveLength(2);
    await two.put({ _id: 'x', n: 2, ...more });
    expect(rows()).toEqual([]);
    for (const tab of [two, one]) {
      await tab.head();
      expect(await tab.get('x')).toMatchObject({ n: 2 });
      expect(await tab.get('y')).toMatchObject({ n: 1 });
    }
    await one.put({ _id: 'x', n: 3 });
    await one.close();
    await two.put({ _id: 'z' });
    await two.head();
    expect(await two.get('x')).toMatchObject({ n: 3 });
    await two.close();
  },
);

test('[R9] lets update with commitEachWrite read a pending write of another tab before any hint arrives', async () => {
  const { open } = tabs();
  const [one, two] = [open(), open({ commitEachWrite: true })];
  await Promise.all([one.ready(), two.ready()]);
  await one.put({ _id: 'x', n: 1 });
  await two.update<{ n: number }>('x', (doc) => ({ n: (doc?.n ?? 0) + 1 }));
  expect(await two.get('x')).toMatchObject({ n: 2 });
  await Promise.all([one.close(), two.close()]);
});

test('keeps each version with commitEachWrite, and without it only the last of several quick writes', async () => {
  for (const commitEachWrite of [true, false]) {
    const db = tabs().open({ commitEachWrite });
    for (let n = 0; n < 3; n++) await db.put({ _id: 'a', n });
    const versions = (await db.history<{ n: number }>('a')).map(({ value }) => value?.n);
    expect(versions).toEqual(commitEachWrite ? [2, 1, 0] : [2]);
    await db.close();
  }
});

test('acknowledges a write to a fireproof database in a worker if the database is closed during the write', async () => {
  const { port1, port2 } = new MessageChannel();
  const { open } = tabs();
  serveWith(
    port2,
    (_, options) => open(options),
    () => () => undefined,
  );
  const engine = connectWith(port1, { isWritten: () => false, mark: () => undefined });
  const db = fireproofDatabase(engine.open('db'));
  await db.ready();
  const writing = db.put({ _id: 'a' });
  await db.close();
  expect(await writing).toEqual({ id: 'a', clock: [], name: 'db' });
  port1.close();
});
