import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, fixpoint } from 'fixpoint';
import { expect, onTestFinished, test } from 'vitest';
import { BIG_CHARS } from './document-text.ts';
import { afterSave, canSave, underneath } from './draft.ts';
import { type LiveDraft, liveDraft } from './live-draft.ts';

function openDatabase(): Database {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-'));
  const database = fixpoint('drafts', { directory });
  onTestFinished(async () => {
    await database.close();
    rmSync(directory, { recursive: true });
  });
  return database;
}

function opened(database: Database, id: string | undefined): LiveDraft {
  const live = liveDraft(database, id);
  onTestFinished(live.subscribe(() => undefined));
  return live;
}

test('shows the stored document, and follows later writes', async () => {
  const database = openDatabase();
  await database.put({ _id: 'a', x: 1 });
  const live = opened(database, 'a');
  await expect.poll(() => live.settled()?.base).toEqual({ _id: 'a', x: 1 });
  await database.put({ _id: 'a', x: 2 });
  await expect.poll(() => live.settled()?.text).toBe('{\n  "x": 2\n}');
});

test('keeps typed text when others write or delete the document', async () => {
  const database = openDatabase();
  await database.put({ _id: 'a', x: 1 });
  const live = opened(database, 'a');
  await expect.poll(() => live.current().state).toBe('there');
  live.typed('{"mine": 1}');
  await database.put({ _id: 'a', x: 2 });
  await expect.poll(() => underneath(live.settled()!)).toBe('changed');
  await database.del('a');
  await expect.poll(() => underneath(live.settled()!)).toBe('deleted');
  expect(live.settled()?.text).toBe('{"mine": 1}');
});

test('shows a missing document as soon as it arrives', async () => {
  const database = openDatabase();
  const live = opened(database, 'later');
  await expect.poll(() => live.current().state).toBe('missing');
  await database.put({ _id: 'later', x: 1 });
  await expect.poll(() => live.settled()?.base).toEqual({ _id: 'later', x: 1 });
});

test('follows a new document after it is saved', async () => {
  const database = openDatabase();
  const live = opened(database, undefined);
  live.typed('{"x": 1}');
  const { id } = await database.put({ x: 1 });
  expect(live.id()).toBeUndefined();
  live.change((draft) => afterSave(draft, id, { x: 1 }, undefined));
  expect(live.id()).toBe(id);
  await database.put({ _id: id, x: 2 });
  await expect.poll(() => live.settled()?.text).toBe('{\n  "x": 2\n}');
});

test('converts a big text to a string only once, however many keys the user types', () => {
  const live = opened(openDatabase(), undefined);
  let times = 0;
  const typed = Array.from({ length: 20 }, (_, n) => ({
    length: BIG_CHARS + 1 + n,
    toString: () => {
      times += 1;
      return JSON.stringify({ text: 'x'.repeat(n) });
    },
  }));
  for (const text of typed) live.typed(text);
  expect(times).toBe(0);
  expect(live.settled()?.text).toBe(JSON.stringify({ text: 'x'.repeat(19) }));
  expect(times).toBe(1);
});

test('doesn’t parse a big text while the user types, unless the draft is requested', () => {
  const live = opened(openDatabase(), undefined);
  const big = JSON.stringify({ text: 'x'.repeat(BIG_CHARS) });
  live.typed(big);
  expect(live.current()).toMatchObject({ state: 'there', draft: { text: '{}' } });
  expect(live.settled()?.text).toBe(big);
  expect(canSave(live.settled()!)).toBe(true);
});

test('reports the state "failed" when a document can’t be read', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const database = fixpoint('closed', { directory });
  await database.close();
  const live = opened(database, 'a');
  await expect.poll(() => live.current().state).toBe('failed');
});
