import { act, fireEvent, screen, within } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { HOSTILE_NAMES } from '../../values/hostile-names.fixture.ts';
import { type Filter, partsOf } from './filter.ts';
import { FilterChips } from './filter-chips.tsx';
import { textOfParts } from './filter-text.ts';
import { parseFilter } from './parse-filter.ts';

withPages();

const KNOWN = ['scope', 'type', 'n'].map((path) => ({ path, detail: '', values: [] }));

async function chips(text: string) {
  let now: readonly Filter[] = partsOf(parseFilter(text).filter);
  const onText = vi.fn();
  const none = () => undefined;
  function Page() {
    const [parts, setParts] = useState(now);
    now = parts;
    return (
      <FilterChips {...{ parts, onText }} known={KNOWN} onChange={setParts} onAdd={none} onClear={none} />
    );
  }
  await drawPages([{ path: '/', Component: Page }], '/');
  return { text: () => textOfParts(now), onText };
}

const button = (name: string | RegExp) => screen.getByRole('button', { name });
const press = (name: string | RegExp) => act(async () => button(name).click());
const key = (name: string | RegExp, pressed: string) =>
  act(async () => void fireEvent.keyDown(button(name), { key: pressed }));
const choose = async (label: string, value: string) =>
  act(async () => void fireEvent.change(await screen.findByLabelText(label), { target: { value } }));

describe('the chips of a filter', () => {
  test('reads like a sentence', async () => {
    await chips('(scope = "M" or type = "A") and not n contains "x"');
    const list = screen.getByRole('list', { name: 'Conditions' });
    const items = within(list)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent);
    expect(items.slice(0, 2)).toEqual(['scope is Mortype is A', 'andn does not contain x']);
  });

  test('removes a condition by its button, and the group with it if one is left', async () => {
    const { text } = await chips('(scope = "M" or type = "A") and n > 1');
    await press('Remove condition: scope is M');
    expect(text()).toBe('type = "A" and n > 1');
  });

  test.each(['Delete', 'Backspace'])('removes the condition in focus by the key %s', async (pressed) => {
    const { text } = await chips('scope = "M" and n > 1');
    await key('Edit condition: n is greater than 1', pressed);
    expect(text()).toBe('scope = "M"');
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Edit condition: scope is M');
  });

  test.each([
    ['the first condition', 'scope = "M" and n > 1', 'scope is M', 'Edit condition: n is greater than 1'],
    ['an alternative', '(scope = "M" or type = "A") and n > 1', 'scope is M', 'Edit condition: type is A'],
    [
      'the last alternative',
      'n > 1 and (scope = 5 or type = 6)',
      'type is 6',
      'Edit condition: n is greater than 1',
    ],
  ])('keeps the focus in the list after %s is removed', async (_what, given, removed, focused) => {
    await chips(given);
    await key(`Edit condition: ${removed}`, 'Delete');
    expect(document.activeElement?.getAttribute('aria-label')).toBe(focused);
  });

  test('ignores other keys on a condition', async () => {
    const { text } = await chips('scope = "M"');
    for (const pressed of ['d', 'ArrowLeft', ' ', 'Escape']) await key(/^Edit condition/, pressed);
    expect(text()).toBe('scope = "M"');
  });

  test('removes only one of two equal conditions', async () => {
    const { text } = await chips('n = 1 and n = 1 and scope = "M"');
    await act(async () => screen.getAllByRole('button', { name: 'Remove condition: n is 1' })[1]?.click());
    expect(text()).toBe('n = 1 and scope = "M"');
  });

  test('changes an alternative in place, and leaves the others', async () => {
    const { text } = await chips('(scope = "M" or n > 1 or type = "A") and n < 9');
    await press('Edit condition: n is greater than 1');
    await choose('Condition', 'missing');
    await press('Save condition');
    expect(text()).toBe('(scope = "M" or n is missing or type = "A") and n < 9');
  });

  test('keeps the filter if the user cancels an edit', async () => {
    const { text } = await chips('(scope = "M" or n > 1)');
    await press('Edit condition: n is greater than 1');
    await choose('Value', '77');
    await press('Cancel');
    expect(text()).toBe('scope = "M" or n > 1');
    await press('Edit condition: n is greater than 1');
    expect((await screen.findByLabelText<HTMLInputElement>('Value')).value).toBe('1');
  });

  test('removes the last condition, and the list with it', async () => {
    const { text } = await chips('not (scope = "M")');
    await key('Edit as text: not (scope = "M")', 'Delete');
    expect([text(), screen.queryByRole('list')]).toEqual(['', null]);
  });

  test('edits a condition in place', async () => {
    const { text } = await chips('scope = "M" and n > 1');
    await press('Edit condition: n is greater than 1');
    await choose('Condition', 'at-most');
    await choose('Value', '7');
    await press('Save condition');
    expect(text()).toBe('scope = "M" and n <= 7');
  });

  test('adds an alternative to a condition, and to a group', async () => {
    const { text } = await chips('scope = "M" and n > 1');
    await act(async () => screen.getAllByRole('button', { name: 'Add an alternative' })[0]?.click());
    await choose('Field', 'type');
    await choose('Condition', 'not in');
    await choose('Value', 'A, 5');
    await press('Add condition');
    expect(text()).toBe('(scope = "M" or type not in ["A", 5]) and n > 1');
  });

  test('leads to the text for groups that chips can’t edit', async () => {
    const { onText, text } = await chips('scope = "M" and (n > 1 or n < 0 and type = "A")');
    await press('Edit as text: n < 0 and type = "A"');
    expect(onText).toHaveBeenCalledTimes(1);
    await press('Remove condition: n < 0 and type = "A"');
    expect(text()).toBe('scope = "M" and n > 1');
  });

  test.each(HOSTILE_NAMES.map((name) => [name.slice(0, 20), name]))(
    'shows and removes a condition with the value %j',
    async (_shown, value) => {
      const { text } = await chips(`scope = ${JSON.stringify(value)}`);
      await act(async () => screen.getByRole('button', { name: /^Remove condition/ }).click());
      expect(text()).toBe('');
    },
  );
});
