/** Uses keys in Node as an application does. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fixpoint } from '../src/entries/node.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'fixpoint-keys-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: { code?: string }) => error.code,
  );
const filesOf = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

test('reports missing keys and leaves the database unchanged', async () => {
  const directory = folder();
  const db = fixpoint('notes', { directory });
  await db.put({ _id: 'a', text: 'x' });
  await db.close();
  rmSync(join(directory, '.keys'), { recursive: true });
  const before = filesOf(directory).map((file) => [file, readFileSync(file, 'hex')]);
  const again = fixpoint('notes', { directory });
  expect(await codeOf(again.put({ _id: 'b' }))).toBe('MISSING_KEYBAG');
  expect(await codeOf(again.get('a'))).toBe('MISSING_KEYBAG');
  expect(filesOf(directory).map((file) => [file, readFileSync(file, 'hex')])).toEqual(before);
});

test('opens a database that has a passphrase only with that passphrase', async () => {
  const directory = folder();
  const db = fixpoint('notes', { directory, passphrase: 'one' });
  await db.put({ _id: 'a', text: 'x' });
  await db.close();
  for (const passphrase of [undefined, 'two'])
    expect(await codeOf(fixpoint('notes', { directory, passphrase }).get('a'))).toBe('KEY_BAG_LOCKED');
  const again = fixpoint('notes', { directory, passphrase: 'one' });
  expect(await again.get('a')).toEqual({ _id: 'a', text: 'x' });
  await again.changePassphrase('two');
  await again.rotateKey();
  await again.put({ _id: 'b' });
  await again.changePassphrase(undefined);
  await again.close();
  const clear = fixpoint('notes', { directory });
  expect((await clear.allDocs()).rows.map(({ key }) => key)).toEqual(['a', 'b']);
  await clear.close();
});

test('reads old and new documents after a rotation, also after a reopen and a compaction', async () => {
  const directory = folder();
  const db = fixpoint('notes', { directory });
  const ids: string[] = [];
  const keyIds = new Set<string>();
  for (let round = 0; round < 4; round++) {
    for (const id of [`${round}-a`, `${round}-b`]) ids.push((await db.put({ _id: id })).id);
    keyIds.add((await db.rotateKey()).keyId);
  }
  expect(keyIds.size).toBe(4);
  await db.close();
  const again = fixpoint('notes', { directory });
  expect((await again.allDocs()).rows.map(({ key }) => key)).toEqual(ids);
  await again.compact();
  await again.close();
  const last = fixpoint('notes', { directory });
  expect((await last.allDocs()).rows.map(({ key }) => key)).toEqual(ids);
  await last.close();
});
