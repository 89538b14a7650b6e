import type { ConflictingDocument } from 'fixpoint';
import { expect, test } from 'vitest';
import { HOSTILE_NAMES, withEveryName } from '../../../values/hostile-names.fixture.ts';
import { differingFields } from './found-documents.tsx';

const versions = (...values: readonly (object | undefined)[]) => {
  const [winner, ...losers] = values.map((value) => ({ value }));
  return { winner, losers } as unknown as ConflictingDocument;
};

test('returns the fields that differ between any two versions', () => {
  expect(
    differingFields(
      versions(
        { _id: 'hbs', name: 'Serbo-Croatian', scope: 'M', tags: ['a'] },
        { _id: 'hbs', name: 'Serbo-Croatian', scope: 'I', tags: ['a'] },
        { _id: 'hbs', name: 'Serbian', scope: 'M', tags: ['a'], speakers: 1 },
      ),
    ),
  ).toEqual(['name', 'scope', 'speakers']);
});

test('returns no fields if a version has no content', () => {
  expect(differingFields(versions({ _id: 'a', n: 1 }, undefined))).toEqual([]);
});

test('[S10] compares fields with hostile names', () => {
  const own = withEveryName('a', (name) => name);
  expect(
    differingFields(
      versions(
        own,
        withEveryName('a', (name) => name),
      ),
    ),
  ).toEqual([]);
  expect(differingFields(versions(own, { _id: 'a' })).toSorted()).toEqual([...HOSTILE_NAMES].toSorted());
});
