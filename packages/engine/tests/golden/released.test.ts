/** The current version opens databases of earlier versions. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { fixpoint } from '../../src/entries/node.ts';

test('[R17] opens, writes, compacts and reopens a database of version 1 with unencrypted rows and key', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-golden-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const golden = fileURLToPath(new URL('v1/', import.meta.url));
  cpSync(join(golden, 'golden'), join(directory, 'golden'), { recursive: true });
  cpSync(join(golden, 'keys'), join(directory, '.keys'), { recursive: true });
  const before = readFileSync(join(directory, 'golden', 'log'));
  const docs = [
    { _id: 'one', text: 'changed' },
    { _id: 'two', text: 'second' },
  ];

  const db = fixpoint('golden', { directory });
  expect((await db.allDocs()).rows.map(({ value }) => value)).toEqual(docs);
  expect(readFileSync(join(directory, 'golden', 'log')).equals(before)).toBe(true);
  await db.put({ _id: 'four' });
  await db.rotateKey();
  await db.compact();
  await db.put({ _id: 'five' });
  await db.close();

  const again = fixpoint('golden', { directory });
  expect((await again.allDocs()).rows.map(({ value }) => value)).toEqual([
    { _id: 'five' },
    { _id: 'four' },
    ...docs,
  ]);
  expect((await again.changes()).rows.map(({ key }) => key).sort()).toEqual([
    'five',
    'four',
    'one',
    'three',
    'two',
  ]);
  await again.close();
});
