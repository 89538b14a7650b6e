import { act, screen, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import type { Fields } from '../../../values/document-fields.ts';
import { HOSTILE_NAMES } from '../../../values/hostile-names.fixture.ts';
import { type MergeChoices, useMergeChoices } from '../choices/merge-choices.ts';
import { MergedDocument } from './merged-document.tsx';

withPages();

async function draw(base: Fields, mine: Fields, theirs: Fields) {
  const held: { choices?: MergeChoices } = {};
  function Page() {
    const choices = useMergeChoices({ base, mine, theirs });
    held.choices = choices;
    return <MergedDocument choices={choices} other="Grace" />;
  }
  await drawPages([{ path: '/', Component: Page }], '/');
  return {
    choose: (how: 'mine' | 'theirs') => act(async () => held.choices?.chooseAll(how)),
  };
}

const json = () => screen.getByRole('group', { name: 'Merged document as JSON' });
/** Returns the lines of each field, with the side that screen readers hear. */
const fields = () =>
  [...json().querySelectorAll(':scope > span > .sr-only')].map((one) => one.parentElement?.textContent);
const legend = () =>
  within(screen.getByRole('list', { name: 'Legend' }))
    .queryAllByRole('listitem')
    .map(({ textContent }) => textContent);

describe('the merged document', () => {
  test('says from which side each field comes', async () => {
    await draw(
      { _id: 'a', same: 1, own: 1, other: 1, both: 1 },
      { _id: 'a', same: 1, own: 2, other: 1, both: 2 },
      { _id: 'a', same: 1, own: 1, other: 2, both: 3 },
    );
    expect(fields()).toEqual([
      '  "same": 1,',
      'Mine:   "own": 2,',
      'The other version:   "other": 2,',
      'Open:   "both": choose one',
    ]);
    expect(legend()).toEqual(['Mine', 'Grace', 'Open']);
  });

  test('says that both sides changed parts of an object', async () => {
    const place = (city: string, zip: number) => ({ place: { city, zip } });
    await draw(place('p', 1), place('q', 1), place('p', 2));
    expect(fields()).toEqual(['Both:   "place": {    "city": "q",    "zip": 2  }']);
    expect(legend()).toEqual(['Both']);
  });

  test('marks an object as open if one of its fields is', async () => {
    const place = (city: string, zip: number) => ({ place: { city, zip } });
    const { choose } = await draw(place('p', 1), place('q', 2), place('r', 1));
    expect(fields()).toEqual(['Open:   "place": choose one']);
    await choose('mine');
    expect(fields()).toEqual(['Mine:   "place": {    "city": "q",    "zip": 2  }']);
    await choose('theirs');
    expect(fields()).toEqual(['Both:   "place": {    "city": "r",    "zip": 2  }']);
  });

  test('can be copied once all conflicts are decided', async () => {
    const { choose } = await draw({ a: 1 }, { a: 2 }, { a: 3 });
    expect(screen.queryByRole('button', { name: 'Copy JSON' })).toBe(null);
    await choose('mine');
    expect(screen.getByRole('button', { name: 'Copy JSON' })).toBeDefined();
  });

  test('cuts a field with very many lines', async () => {
    await draw({}, {}, { list: Array.from({ length: 2000 }, (_, at) => at) });
    expect(json().textContent).toMatch(/498,\.\.\.$|498,\.\.\.\}$/);
    expect(json().querySelectorAll('span.block').length).toBeLessThan(510);
  });

  test('contains every field, whatever its name', async () => {
    await draw({}, {}, Object.fromEntries(HOSTILE_NAMES.map((name) => [name, 1])));
    const names = fields().map((text) => /^.*?: {3}(".*"): 1,?$/s.exec(text ?? '')?.[1]);
    expect(names).toEqual(HOSTILE_NAMES.map((name) => JSON.stringify(name)));
  });
});
