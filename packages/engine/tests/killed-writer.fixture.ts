import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Database } from '../src/database/database.ts';
import type { SeededRandom } from '../src/testing/seeded-random.ts';

export type Writing = 'writes' | 'bulks' | 'compacts' | 'queries' | 'syncs';

const PARTS: Record<Writing, number> = { writes: 3, bulks: 300, compacts: 3, queries: 3, syncs: 3 };

/**
 * A moment to kill a writer: `ms` milliseconds after it printed `lines` lines. The first line
 * reports that the writer opens its database.
 */
interface Moment {
  readonly lines: number;
  readonly ms: number;
}

/** Returns a random moment while the database opens or after some writes. */
export function someMoment(random: SeededRandom, writesMax: number): Moment {
  return { lines: 1 + random.below(writesMax + 1), ms: random.below(12) };
}

/** Starts a writer and kills it at the moment. Returns the writes that it acknowledged. */
export async function writeUntilKilled(
  directory: string,
  from: number,
  how: Writing,
  { lines, ms }: Moment,
  env: Record<string, string> = {},
  node = process.execPath,
): Promise<string[]> {
  const script = fileURLToPath(new URL('writer.fixture.mjs', import.meta.url));
  const child = spawn(node, [script, directory, String(from), how], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  let text = '';
  let isDue = false;
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (data: Buffer) => {
      text += data.toString();
      if (isDue || text.split('\n').length <= lines) return;
      isDue = true;
      setTimeout(() => child.kill('SIGKILL'), ms);
    });
    child.once('close', () => resolve());
  });
  expect(isDue, 'the writer ended by itself').toBe(true);
  return text.split('\n').slice(1, -1);
}

/**
 * Expects that the database has all acknowledged writes, no damage and no partial bulk. Bulks that
 * were not acknowledged must not be partial either.
 */
export async function expectNothingLost(
  db: Database,
  acknowledged: readonly string[],
  how: Writing,
): Promise<void> {
  const ids = new Set((await db.allDocs()).rows.map(({ key }) => key));
  const whole = new Map<string, number>();
  for (const id of ids) {
    const [, bulk] = /^(bulk-\d+)-/.exec(id) ?? [];
    if (bulk !== undefined) whole.set(bulk, (whole.get(bulk) ?? 0) + 1);
  }
  const lost = acknowledged.filter((line) => {
    const id = line.replace(' ', '-');
    return !ids.has(id) && whole.get(id) === undefined;
  });
  expect(lost).toEqual([]);
  expect([...whole].filter(([, parts]) => parts !== PARTS[how])).toEqual([]);
  if (how === 'queries') {
    const { rows } = await db.query('n', { includeDocs: false });
    expect(new Set(rows.map(({ id }) => id))).toEqual(ids);
  }
  expect(await db.verify()).toMatchObject({ damaged: [], missing: [], filesAbsent: 0 });
}
