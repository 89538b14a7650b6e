/** While an application writes, its other work must continue, no matter how slow the store is. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fixpoint } from '../src/entries/node.ts';
import { patienceMs } from './budget.fixture.ts';

const directory = mkdtempSync(join(tmpdir(), 'fixpoint-loop-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test.each(['strict', 'relaxed'] as const)(
  '[R11] yields to other work between writes of %s durability',
  async (durability) => {
    const database = fixpoint(durability, { directory, durability });
    let putsInTurn = 0;
    let most = 0;
    let isOver = false;
    const count = () => {
      most = Math.max(most, putsInTurn);
      putsInTurn = 0;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    for (let n = 0; n < 1500; n++) {
      await database.put({ _id: `doc-${n}`, n });
      putsInTurn++;
    }
    isOver = true;
    count();
    expect(most).toBeLessThan(300);
    await database.close();
  },
  // The test may take long, because each write waits for the disk, which other processes may also
  // use.
  patienceMs(),
);

test('[R8] returns an unchanged value to every read while the log is rewritten', async () => {
  const { openLogStore } = await import('../src/platform/node/log/log-store.ts');
  const { nodeFiles } = await import('../src/platform/node/node-files.ts');
  const { systemTime } = await import('../src/platform/system.ts');
  const store = await openLogStore(join(directory, 'log'), 'strict', nodeFiles, systemTime);
  await store.write([{ key: 'kept', bytes: new Uint8Array(5000).fill(7) }]);
  const wrong: unknown[] = [];
  let isOver = false;
  const reader = (async () => {
    while (!isOver && wrong.length === 0) {
      const bytes = await store.read('kept').catch((cause: unknown) => cause);
      if (!(bytes instanceof Uint8Array) || bytes.length !== 5000) wrong.push(bytes);
    }
  })();
  // Each write replaces the previous value, so the store rewrites the log several times.
  for (let n = 0; n < 30; n++) await store.write([{ key: 'long', bytes: new Uint8Array(2_000_000) }]);
  isOver = true;
  await reader;
  expect(wrong).toEqual([]);
  await store.close();
});
