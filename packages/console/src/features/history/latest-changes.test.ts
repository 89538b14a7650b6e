import { FixpointError } from '@fixpoint/protocol';
import type { DocumentVersion } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { knownVersions } from './known-versions.fixture.ts';
import { beforeOf, comparedVersions, latestChange } from './latest-changes.ts';

const VERSIONS = [{ value: { _id: 'milk', litres: 2 } }, { value: { _id: 'milk', litres: 1 } }];
const { signal } = new AbortController();

/** Returns a database that can read the versions, but not the documents before them. */
const failing = (cause: unknown) => ({
  ...knownVersions(VERSIONS),
  at: () => ({ allDocs: () => Promise.reject(cause) }) as never,
});

describe('the document before a version', () => {
  test.each(['MISSING_BLOCK', 'MISSING_CARS', 'CORRUPT', 'KEY_UNKNOWN'] as const)(
    'is unreadable if its data is missing or damaged (%s)',
    async (code) => {
      const database = failing(new FixpointError(code));
      const [newest, oldest] = await comparedVersions(database, 'milk', { limit: 9, signal });
      expect([newest?.before, newest?.change.what]).toEqual([{ lost: 'unreadable' }, 'Changed']);
      // The oldest version is compared with nothing.
      expect([oldest?.before, oldest?.change.what]).toEqual([{}, 'Created']);
    },
  );

  test('is compacted if compaction dropped it', async () => {
    const [version] = await knownVersions(VERSIONS).history('milk');
    const database = failing(new FixpointError('HISTORY_COMPACTED'));
    expect(await beforeOf(database, 'milk', version as DocumentVersion, false)).toEqual({
      lost: 'compacted',
    });
  });

  test.each([
    new FixpointError('STORE_FAILED'),
    new FixpointError('DATABASE_CLOSED'),
    new FixpointError('WORKER_LOST'),
    new TypeError('a mistake in the code'),
  ])('rejects with an error that isn’t about this version: %s', async (cause) => {
    const database = failing(cause);
    await expect(comparedVersions(database, 'milk', { limit: 9, signal })).rejects.toBe(cause);
    const row = { key: 'milk', clock: 'version-0' };
    await expect(latestChange(database, row as never, signal)).rejects.toBe(cause);
  });
});
