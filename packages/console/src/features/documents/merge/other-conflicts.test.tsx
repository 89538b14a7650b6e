import { FixpointError } from '@fixpoint/protocol';
import { screen, within } from '@testing-library/react';
import type { ConflictingDocument, DocumentVersion } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { describe, expect, test } from 'vitest';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { OtherConflicts } from './other-conflicts.tsx';

withPages();

const version = (value: object | undefined): DocumentVersion =>
  ({ event: 'e', parents: [], concurrent: true, ...(value && { value }) }) as unknown as DocumentVersion;

const conflict = (id: string, shown: object, ...others: (object | undefined)[]): ConflictingDocument => ({
  id,
  winner: version({ _id: id, ...shown }),
  losers: others.map((one) => version(one && { _id: id, ...one })),
});

interface Unknown {
  readonly unread?: readonly string[];
  readonly error?: Error;
}

async function draw(
  conflicts: readonly ConflictingDocument[],
  { unread = [], error }: Unknown = {},
  id = 'own',
) {
  const database = {
    onClosed: () => () => undefined,
    conflicts: async () => {
      if (error !== undefined) throw error;
      return { conflicts, unread };
    },
    onConflicts: (listener: (found: readonly ConflictingDocument[]) => void) => {
      listener(conflicts);
      return () => undefined;
    },
  } as unknown as BridgedDatabase;
  await drawPages([{ path: '/', element: <OtherConflicts {...{ database, id }} basePath="/docs" /> }], '/');
}

const part = async () => screen.findByRole('region', { name: 'Other documents with conflicts' });
const noPart = () => screen.queryByRole('region', { name: 'Other documents with conflicts' });
const lines = () => screen.getAllByRole('listitem').map(({ textContent }) => textContent);

describe('the other documents of a merge', () => {
  test('is absent if only this document has a conflict', async () => {
    await draw([conflict('own', { a: 1 }, { a: 2 })]);
    expect(noPart()).toBe(null);
  });

  test('lists each document with the fields in which its versions differ', async () => {
    await draw([
      conflict('own', { a: 1 }, { a: 2 }),
      conflict('milk', { name: 'Milk', litres: 1, shelf: 'A' }, { name: 'Milk', litres: 2, shelf: 'B' }),
      conflict('tea', { name: 'Tea' }, { name: 'Thé' }, { name: 'Tea', more: 1 }),
      conflict('rice', { name: 'Rice', a: 1, b: 1, c: 1, d: 1, e: 1 }, { name: 'Rice' }),
    ]);
    expect(within(await part()).getByRole('heading').textContent).toBe(
      'Other documents with conflicts3 left',
    );
    expect(lines()).toEqual([
      'Milkmilklitres, shelf2 fields differNext : Milk',
      'Teateaname, more2 fields differMerge : Tea',
      'Ricericea, b, c, d and 1 more5 fields differMerge : Rice',
    ]);
  });

  test('leads to the merge of a document, and to the page of one that can’t be merged by field', async () => {
    await draw([
      conflict('a/b', { name: 'Milk' }, { name: 'Rice' }),
      conflict('gone', { name: 'Gone' }, undefined),
    ]);
    await part();
    expect(screen.getAllByRole('link').map((one) => one.getAttribute('href'))).toEqual([
      '/docs/a%2Fb?merge=',
      '/docs/gone',
    ]);
    expect(lines()[1]).toContain('Deleted on one device');
  });

  test('says that more documents may have a conflict if changes can’t be read', async () => {
    await draw([conflict('own', { a: 1 }, { a: 2 }), conflict('milk', { a: 1 }, { a: 2 })], {
      unread: ['e0'],
    });
    expect(within(await part()).getByRole('heading').textContent).toBe(
      'Other documents with conflicts1+ left',
    );
    expect(screen.getByRole('status').textContent?.trim()).toBe(
      'Couldn’t read an old change, so more documents may have a conflict.',
    );
  });

  test('stays and says so if changes can’t be read and no other conflict is known', async () => {
    await draw([conflict('own', { a: 1 }, { a: 2 })], { unread: ['e0', 'e1'] });
    expect((await part()).textContent?.trim()).toBe(
      'Other documents with conflictsCouldn’t read 2 old changes, so more documents may have a conflict.',
    );
  });

  test('says why other conflicts can’t be looked for', async () => {
    await draw([], { error: new FixpointError('CORRUPT') });
    expect(within(await part()).getByRole('alert').textContent).toMatch(/Stored data is damaged/);
    expect(screen.queryByRole('status')).toBe(null);
  });

  test('doesn’t call a version deleted that can’t be read', async () => {
    const found = conflict('milk', { name: 'Milk' });
    await draw([{ ...found, losers: [{ ...version(undefined), isUnreadable: true }] }]);
    await part();
    expect(lines()[0]).toContain('A version can’t be read');
    expect(lines()[0]).not.toContain('Deleted');
  });

  test('shows fields whose names have a special meaning', async () => {
    const doc = (value: number) =>
      Object.fromEntries(['__proto__', 'constructor', ''].map((name) => [name, value]));
    await draw([conflict('milk', doc(1), doc(2))]);
    await part();
    expect(lines()[0]).toContain('__proto__, constructor, (empty name)3 fields differ');
  });
});
