import type { CommitEvent } from 'fixpoint';
import { expect, test } from 'vitest';
import { describeCommit, whoCommitted } from './describe-commit.ts';

const commitOf = (commit: Partial<CommitEvent>): CommitEvent => ({
  event: 'e1',
  parents: ['e0'],
  ids: [],
  documents: commit.ids?.length ?? 0,
  deletedIds: [],
  deletions: commit.deletedIds?.length ?? 0,
  state: 'sent',
  ...commit,
});
const describe = (commit: Partial<CommitEvent>): string => describeCommit(commitOf(commit));

test('names the documents that a commit wrote and deleted', () => {
  expect(describe({ ids: ['note'] })).toBe('Wrote note');
  expect(describe({ ids: ['note', 'other'], deletedIds: ['other'] })).toBe('Wrote note; deleted other');
  expect(describe({ ids: ['other'], deletedIds: ['other'] })).toBe('Deleted other');
  expect(describe({ ids: ['a  b'] })).toBe('Wrote "a\\u0020\\u0020b"');
});

test('names the first of many documents', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  expect(describe({ ids: ids.slice(0, 3) })).toBe('Wrote a, b, c');
  expect(describe({ ids })).toBe('Wrote a, b, c and 2 more');
  expect(describe({ ids, documents: 5000, deletedIds: ids, deletions: 5000 })).toBe(
    'Deleted a, b, c and 4,997 more',
  );
  expect(describe({ ids, documents: 5000, deletedIds: ['b'], deletions: 1200 })).toBe(
    'Wrote a, c, d and 3,797 more; deleted b and 1,199 more',
  );
});

test('names documents by their titles, and the others by their ids', () => {
  const titles = new Map([
    ['a', 'Ada Lovelace'],
    ['c', 'The Analytical Engine and its Programmer'],
    ['d', 'יעל'],
  ]);
  const described = describeCommit(commitOf({ ids: ['a', 'b', 'c'], documents: 500 }), titles);
  expect(described).toBe('Wrote Ada Lovelace, b, The Analytical Engine an… and 497 more');
  expect(describeCommit(commitOf({ ids: ['a', 'd'], deletedIds: ['d'] }), titles)).toBe(
    'Wrote Ada Lovelace; deleted \u2068יעל\u2069',
  );
});

test('counts documents that the commit doesn’t name', () => {
  const ids = ['a', 'b', 'c'];
  expect(describe({ ids, documents: 22, deletions: 1 })).toBe(
    'Wrote a, b, c and 18 more; deleted 1 document',
  );
  expect(describe({ ids, documents: 40, deletedIds: ids, deletions: 20 })).toBe(
    'Wrote 20 documents; deleted a, b, c and 17 more',
  );
});

test('describes commits without documents, and snapshots', () => {
  expect(describe({ parents: [] })).toBe('Database created');
  expect(describe({ parents: ['a', 'b'] })).toBe('No documents');
  expect(describe({ documents: 1200, isHorizon: true })).toBe('Snapshot of 1,200 documents');
});

test('names Fixpoint as the author of the engine’s own first commit, and of no other', () => {
  const author = (commit: Partial<CommitEvent>): string =>
    whoCommitted(commitOf(commit), 'this', new Map()).name;
  expect(author({ parents: [] })).toBe('Fixpoint');
  expect(author({ parents: [], device: 'this' })).toBe('This device');
  expect(author({ parents: [], documents: 1 })).toBe('Unknown author');
  expect(author({ parents: [], isHorizon: true })).toBe('Unknown author');
  expect(author({ parents: ['a', 'b'] })).toBe('Unknown author');
});
