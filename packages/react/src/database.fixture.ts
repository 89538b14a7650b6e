import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Collections, type Database, type DatabaseOptions, fixpoint } from 'fixpoint';
import { onTestFinished } from 'vitest';

/** Creates a database that is destroyed after the test. */
export function freshDatabase(
  options: DatabaseOptions & { readonly collections?: Collections } = {},
): Database {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-react-'));
  const database = fixpoint('test', { ...options, directory, durability: 'relaxed' } as object);
  onTestFinished(async () => {
    await database.destroy();
    rmSync(directory, { recursive: true, force: true });
  });
  return database;
}

const CALLS = ['get', 'put', 'query', 'find', 'allDocs', 'changes'] as const;

/** Wraps the database so that calls fail while `failing.now` is true. */
export function failingDatabase(database: Database, calls: readonly (typeof CALLS)[number][] = CALLS) {
  const failing = { now: true };
  const failure = () => Promise.reject(new Error('disk gone'));
  const fails = Object.fromEntries(
    calls.map((call) => [
      call,
      (...given: never[]) =>
        failing.now ? failure() : (database[call] as (...all: never[]) => unknown)(...given),
    ]),
  );
  return { database: { ...database, ...fails } as unknown as Database, failing };
}

/**
 * Wraps the database so that `get` reads at once, but resolves only when the test calls the
 * function that this read added to `held`.
 */
export function heldReads(database: Database) {
  const held: (() => void)[] = [];
  const get = async (id: string) => {
    const answer = await database.get(id);
    await new Promise<void>((resolve) => held.push(resolve));
    return answer;
  };
  return { database: { ...database, get } as unknown as Database, held };
}
