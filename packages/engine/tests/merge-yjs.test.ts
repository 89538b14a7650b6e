/** Runs the example of the guide that merges texts with Yjs. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type * as Y from 'yjs';
import { codeBlocksOf } from '../../../tests/architecture/code-blocks.fixture.ts';
import type { Collection } from '../src/collections/collection-types.ts';
import { converge, openPeer } from './merge-world.fixture.ts';

interface Note {
  readonly title: string;
  readonly text: Uint8Array;
}

interface Example {
  readonly notes: never;
  opened(update?: Uint8Array, edit?: (text: Y.Text) => void): { text: string; update: Uint8Array };
}

/** In the repository, so that the example finds its packages. */
const folder = resolve('artefacts/merge-yjs');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function exampleOfTheGuide(): Promise<Example> {
  const blocks = codeBlocksOf('docs/guide/collections.md');
  const code = blocks.find(({ code }) => code.includes("from 'yjs'"))?.code ?? '';
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'example.ts'), code);
  return (await import(/* @vite-ignore */ join(folder, 'example.ts'))) as Example;
}

test('[P1] keeps the edits of all devices to one text, in the same order on each device', async () => {
  const { notes, opened } = await exampleOfTheGuide();
  const peers = await Promise.all([1, 2, 3].map(() => openPeer({ notes })));
  onTestFinished(async () => {
    for (const { db } of peers) await db.close();
  });
  const own = peers.map(({ db }) => (db as unknown as { notes: Collection<Note, Note> }).notes);
  const [first] = own;
  const { update } = opened(undefined, (text) => text.insert(0, 'Milk, bread'));
  await first?.put({ _id: 'n', title: 'Shopping', text: update } as Note);
  await converge(peers);

  const edits: readonly ((text: Y.Text) => void)[] = [
    (text) => text.insert(0, 'Fresh '),
    (text) => text.delete(4, ', bread'.length),
    (text) => text.insert(text.length, ', eggs'),
  ];
  for (const [at, edit] of edits.entries())
    await own[at]?.update('n', (note) => note && { ...note, text: opened(note.text, edit).update });
  await own[1]?.update('n', (note) => note && { ...note, title: 'Breakfast' });
  await converge(peers);

  const merged = await Promise.all(own.map((one) => one.get('n')));
  expect(merged.map(({ title, text }) => [title, opened(text).text])).toEqual(
    own.map(() => ['Breakfast', 'Fresh Milk, eggs']),
  );
  expect(new Set(merged.map(({ text }) => Buffer.from(text).toString('hex'))).size).toBe(1);
});
