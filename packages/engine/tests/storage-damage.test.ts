import { isFixpointError } from '@fixpoint/protocol';
import { expect, test } from 'vitest';
import { openDatabase } from '../src/database/open.ts';
import { type SeededRandom, seededRandom } from '../src/testing/seeded-random.ts';
import { simulatedDisk } from '../src/testing/simulated-disk.ts';
import { budget, patienceMs, seed } from './budget.fixture.ts';
import { diskPlatform } from './disk.fixture.ts';

const DAMAGES = budget({ commit: 2000, night: 50_000, release: 500_000 });

type Content = ReadonlyMap<string, Uint8Array>;
type Damage = (path: string, whole: Content, older: Content, random: SeededRandom) => Uint8Array | undefined;

const bytesIn = (content: Content, path: string) => content.get(path) ?? new Uint8Array();

const DAMAGE: Readonly<Record<string, Damage>> = {
  flipped: (path, whole, _, random) => {
    const bytes = bytesIn(whole, path).slice();
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    return bytes;
  },
  cut: (path, whole, _, random) => bytesIn(whole, path).slice(0, random.below(bytesIn(whole, path).length)),
  'zero-filled': (path, whole, _, random) => {
    const bytes = bytesIn(whole, path).slice();
    const from = random.below(bytes.length);
    return bytes.fill(0, from, from + 1 + random.below(bytes.length - from));
  },
  swapped: (_, whole, __, random) => [...whole.values()][random.below(whole.size)],
  older: (path, _, older) => older.get(path),
  gone: () => undefined,
};

test('[R4] returns the right result or a typed error when a file has a flipped bit, or is cut, zero-filled, swapped, an older copy or missing', {
  timeout: patienceMs(),
}, async () => {
  const random = seededRandom(seed());
  const keys = new Map<string, readonly Uint8Array[]>();
  const disk = simulatedDisk();
  // Two processes create two logs, and the file that contains the number of logs.
  const first = openDatabase('notes', diskPlatform(disk, keys));
  for (let n = 0; n < 5; n++) await first.put({ _id: `first-${n}`, n });
  const second = openDatabase('notes', diskPlatform(disk, keys));
  const older = disk.content();
  await second.put({ _id: 'second', text: 'x'.repeat(600) });
  for (let n = 0; n < 5; n++) await first.put({ _id: `first-${n}`, n: n + 1 });
  await second.del('first-2');
  await Promise.all([first.close(), second.close()]);
  const whole = disk.content();
  expect([...whole.keys()].map((path) => path.split('/').pop()).sort()).toEqual([
    'durable',
    'durable-1',
    'log',
    'log-1',
    'logs',
    'reserve',
    'reserve-1',
    'reserve-2',
  ]);

  const read = async (content: Content) => {
    const db = openDatabase('notes', diskPlatform(simulatedDisk(content), keys));
    try {
      return JSON.stringify((await db.allDocs()).rows.map(({ value }) => value));
    } catch (error) {
      if (!isFixpointError(error)) throw error;
      return error.code;
    } finally {
      await db.close().catch(() => undefined);
    }
  };
  const right = await read(whole);
  expect(JSON.parse(right)).toHaveLength(5);

  const answers = new Map<string, number>();
  const paths = [...whole.keys()];
  for (let at = 0; at < DAMAGES; at++) {
    const [name, damage] = Object.entries(DAMAGE)[random.below(6)] as [string, Damage];
    const path = paths[random.below(paths.length)] ?? '';
    const bytes = damage(path, whole, older, random);
    const content = new Map(whole);
    if (bytes === undefined) content.delete(path);
    else content.set(path, bytes);
    const answer = await read(content);
    if (answer !== right && answer !== 'CORRUPT' && answer !== 'FORMAT_NEWER')
      expect([name, path, answer]).toEqual([name, path, right]);
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
  }
  expect([...answers.keys()].sort()).toEqual(['CORRUPT', right].sort());
});
