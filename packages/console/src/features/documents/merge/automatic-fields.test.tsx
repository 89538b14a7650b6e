import { act, screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import type { Fields } from '../../../values/document-fields.ts';
import { HOSTILE_NAMES } from '../../../values/hostile-names.fixture.ts';
import { useMergeChoices } from '../choices/merge-choices.ts';
import { AutomaticFields } from './automatic-fields.tsx';

withPages();

/** Renders the fields that only one side changed, and returns the merged document. */
async function draw(base: Fields, mine: Fields, theirs: Fields) {
  const held: { result: Fields } = { result: {} };
  function Page() {
    const choices = useMergeChoices({ base, mine, theirs });
    held.result = choices.result;
    return <AutomaticFields {...{ choices }} otherName="Grace" otherPerson="Grace Hopper" />;
  }
  await drawPages([{ path: '/', Component: Page }], '/');
  return { result: () => held.result };
}

const part = () => screen.queryByRole('region', { name: 'Fields merged without a conflict' });
const lines = () => screen.queryAllByRole('listitem').map(({ textContent }) => textContent);
const press = (name: string) => act(async () => screen.getByRole('button', { name }).click());

describe('the fields that merge by themselves', () => {
  test('says which side changed them, and how', async () => {
    await draw(
      { name: 'a', size: 1, gone: true, place: { city: 'p' } },
      { name: 'b', size: 1, gone: true, place: { city: 'p' } },
      { name: 'a', size: 1, more: [1], place: { city: 'q' } },
    );
    expect(lines()).toEqual([
      'nameabMineUndo',
      'more[1]GraceUndo',
      'place › citypqGraceUndo',
      'gonetrueremovedGraceUndo',
    ]);
    expect(part()?.textContent).toContain('4 fields merged without a conflict Only one side changed them.');
  });

  test('can be undone one by one, and used again', async () => {
    const { result } = await draw({ a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 2 });
    expect(result()).toEqual({ a: 2, b: 2 });
    await press('Undo this change of a');
    expect(result()).toEqual({ a: 1, b: 2 });
    await press('Undo this change of b');
    expect(result()).toEqual({ a: 1, b: 1 });
    await press('Use this change of a');
    expect(result()).toEqual({ a: 2, b: 1 });
  });

  test('brings back a field that the other side removed', async () => {
    const { result } = await draw({ a: 1, b: 1 }, { a: 1, b: 1 }, { a: 1 });
    expect(result()).toEqual({ a: 1 });
    await press('Undo this change of b');
    expect(result()).toEqual({ a: 1, b: 1 });
  });

  test('can be hidden', async () => {
    await draw({ a: 1 }, { a: 2 }, { a: 1 });
    expect(part()?.textContent).toContain('1 field merged without a conflict Only one side changed it.');
    await press('Hide');
    expect(lines()).toEqual([]);
    await press('Show');
    expect(lines()).toHaveLength(1);
  });

  test('is absent if both sides changed every field that differs', async () => {
    await draw({ a: 1 }, { a: 2 }, { a: 3 });
    expect(part()).toBe(null);
  });

  test('shows at most 200 lines, and cuts long values', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, 'x'.repeat(500)]));
    await draw({}, {}, many);
    expect(part()?.textContent).toContain('300 fields merged');
    expect(lines()).toHaveLength(200);
    expect(lines()[0]).toBe(`f0${'x'.repeat(80)}…GraceUndo`);
  });

  test.each(HOSTILE_NAMES.filter((name) => name.length < 100))('keeps a field named %j', async (name) => {
    const { result } = await draw({}, {}, Object.fromEntries([[name, 1]]));
    expect(result()).toEqual(Object.fromEntries([[name, 1]]));
    await act(async () => screen.getByRole('button', { name: /^Undo this change/ }).click());
    expect(Object.keys(result())).toEqual([]);
  });
});
