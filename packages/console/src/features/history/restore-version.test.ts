import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixpoint } from 'fixpoint';
import { afterAll, expect, test } from 'vitest';
import { restoreVersion } from './restore-version.ts';

const directory = mkdtempSync(join(tmpdir(), 'fixpoint-console-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('can undo a restore that began before the database was open', async () => {
  const written = fixpoint('versions', { directory });
  await written.put({ _id: 'a', n: 1 });
  await written.put({ _id: 'a', n: 2 });
  const first = (await written.history('a')).at(-1);
  await written.close();

  const database = fixpoint('versions', { directory });
  const undo = await restoreVersion(database, 'a', first?.event ?? '');
  expect(await database.get('a')).toEqual({ _id: 'a', n: 1 });
  await undo();
  expect(await database.get('a')).toEqual({ _id: 'a', n: 2 });
  await database.close();
});
