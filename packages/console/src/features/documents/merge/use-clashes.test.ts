import { describe, expect, test } from 'vitest';
import { HOSTILE_NAMES } from '../../../values/hostile-names.fixture.ts';
import { bothChoice } from '../choices/merge-choices.ts';
import { differencesOf } from '../choices/merge-fields.ts';
import { type Draft, draftOf, isEdited, underneath, withStored, withText } from '../document/draft.ts';
import { withDecision } from './use-clashes.ts';

const BASE = { _id: 'a', name: 'x', note: 'one two', place: { city: 'p', zip: 1 }, tags: ['t'] };
const THEIRS = { _id: 'a', name: 'theirs', note: 'one II', place: { city: 'q', zip: 1 }, tags: ['t', 'u'] };

function clashing(mine: object, theirs: object = THEIRS, base: object = BASE): Draft {
  return withStored(withText(draftOf('a', base as never), JSON.stringify(mine)), theirs as never);
}

const find = ({ base = {}, stored = {}, parsed }: Draft, name: string) => {
  const mine = parsed.problem === undefined ? parsed.fields : {};
  const found = differencesOf(base, mine, stored).find(({ path }) => path.at(-1) === name);
  if (found === undefined) throw new Error(`no difference in ${name}`);
  return found;
};
const fieldsOf = ({ text }: Draft): unknown => JSON.parse(text);

describe('a decision about one field', () => {
  const mine = { name: 'mine', note: 'I two', place: { city: 'p', zip: 2 }, tags: ['t'] };

  test('keeps other conflicts open, and the text as it was typed', () => {
    const draft = clashing(mine);
    const next = withDecision(draft, find(draft, 'name'), { how: 'theirs' });
    expect(next.text).toBe(JSON.stringify({ ...mine, name: 'theirs' }));
    expect([underneath(next), find(next, 'note').by, next.revision > draft.revision]).toEqual([
      'changed',
      'both',
      true,
    ]);
    expect(() => find(next, 'name')).toThrow();
  });

  test('merges the other changes after the last one, as an edit of the stored document', () => {
    const draft = clashing(mine);
    const kept = withDecision(draft, find(draft, 'name'), { how: 'mine' });
    const both = bothChoice(find(kept, 'note'));
    const done = withDecision(kept, find(kept, 'note'), both ?? { how: 'mine' });
    expect(fieldsOf(done)).toEqual({
      name: 'mine',
      note: 'I II',
      place: { city: 'q', zip: 2 },
      tags: ['t', 'u'],
    });
    expect([underneath(done), isEdited(done), done.base]).toEqual([undefined, true, done.stored]);
  });

  test('removes a field that the other side removed, and brings back one that I removed', () => {
    const { note: _, ...without } = THEIRS;
    const removed = clashing({ ...mine, name: 'x' }, without);
    expect(fieldsOf(withDecision(removed, find(removed, 'note'), { how: 'theirs' }))).not.toHaveProperty(
      'note',
    );
    const { note: __, ...own } = mine;
    const back = clashing({ ...own, name: 'x' });
    expect(fieldsOf(withDecision(back, find(back, 'note'), { how: 'theirs' }))).toHaveProperty(
      'note',
      'one II',
    );
  });

  test('does nothing while the text is invalid', () => {
    const draft = clashing(mine);
    const broken = withText(draft, '{');
    expect(withDecision(broken, find(draft, 'name'), { how: 'theirs' })).toBe(broken);
  });

  test.each(HOSTILE_NAMES)('takes the other value of a field named %j', (name) => {
    const doc = (value: string) =>
      Object.fromEntries([
        ['_id', 'a'],
        [name, value],
        ['other', value],
      ]);
    const draft = clashing(
      Object.fromEntries(Object.entries(doc('mine')).filter(([one]) => one !== '_id')),
      doc('theirs'),
      doc('base'),
    );
    const next = withDecision(draft, find(draft, name), { how: 'theirs' });
    expect(fieldsOf(next)).toEqual(
      Object.fromEntries([
        [name, 'theirs'],
        ['other', 'mine'],
      ]),
    );
  });
});
