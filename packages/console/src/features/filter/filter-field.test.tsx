import { act, fireEvent, screen } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import type { Filter } from './filter.ts';
import { FilterField } from './filter-field.tsx';
import { filterText } from './filter-text.ts';

withPages();

const KNOWN = [
  { path: 'scope', detail: '7 documents', values: ['M'] },
  { path: 'speakers', detail: '', values: [] },
];

async function field(text = '') {
  const applied = vi.fn<(filter: Filter | undefined) => void>();
  const onCancel = vi.fn();
  const Page = () => <FilterField text={text} known={KNOWN} onApply={applied} onCancel={onCancel} />;
  await drawPages([{ path: '/', Component: Page }], '/');
  return { applied, onCancel };
}

const input = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Filter as text' });
const key = (pressed: string) => act(async () => void fireEvent.keyDown(input(), { key: pressed }));
const type = (text: string) =>
  act(async () => void fireEvent.change(input(), { target: { value: text, selectionStart: text.length } }));
const options = () => screen.queryAllByRole('option').map(({ textContent }) => textContent);

describe('the filter as text', () => {
  test('takes the focus, and applies the filter on Enter', async () => {
    const { applied } = await field();
    expect(document.activeElement).toBe(input());
    await type('scope = "M"');
    await key('Escape');
    await key('Enter');
    expect(filterText(applied.mock.calls[0]?.[0])).toBe('scope = "M"');
  });

  test('completes fields, comparisons and values by keyboard', async () => {
    const { applied } = await field();
    await type('sco');
    expect(options()).toEqual(['scope7 documents']);
    await key('ArrowDown');
    expect(input().getAttribute('aria-activedescendant')).toBe(screen.getByRole('option').id);
    await key('Enter');
    expect(input().value).toBe('scope ');
    await key('ArrowDown');
    await key('Tab');
    expect(input().value).toBe('scope = ');
    await key('ArrowDown');
    await key('Enter');
    expect(input().value).toBe('scope = "M" ');
    await key('Escape');
    await key('Enter');
    expect(filterText(applied.mock.calls[0]?.[0])).toBe('scope = "M"');
  });

  test('suggests below the word that a suggestion replaces', async () => {
    await field();
    const place = () => {
      const style = screen.getByRole('listbox').parentElement?.style;
      return [style?.getPropertyValue('--from'), style?.getPropertyValue('--scrolled')];
    };
    await type('sco');
    expect(place()).toEqual(['0', '0px']);
    await type('scope = "M" and spea');
    expect([options(), place()]).toEqual([['speakers'], ['16', '0px']]);
    input().scrollLeft = 40;
    await type('scope = "M" and speak');
    expect(place()).toEqual(['16', '40px']);
  });

  test('says what is wrong and where, and selects that part', async () => {
    const { applied } = await field();
    await type('scope = "M" speakers > 1');
    await key('Escape');
    await key('Enter');
    expect(applied).not.toHaveBeenCalled();
    expect(screen.getByText('Column 13: Expected "and" or "or" before speakers.')).toBeDefined();
    expect([input().selectionStart, input().selectionEnd]).toEqual([12, 20]);
    expect(input().getAttribute('aria-invalid')).toBe('true');
  });

  test('says at once what is wrong with the filter of an address', async () => {
    await field('scope =');
    expect(screen.getByText('Column 8: Expected a value here.')).toBeDefined();
  });

  test('closes the suggestions on Escape, and then the field', async () => {
    const { onCancel } = await field();
    await type('s');
    await key('Escape');
    expect([options(), onCancel.mock.calls.length]).toEqual([[], 0]);
    await key('Escape');
    expect(onCancel).toHaveBeenCalledTimes(1);
  });
});
