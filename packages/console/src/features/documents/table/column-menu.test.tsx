import { act, screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { Menu } from '../../../ui/overlays/menu.tsx';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { ColumnMenu } from './column-menu.tsx';
import { heldColumns } from './column-parts.fixture.tsx';
import type { TableLayout } from './table-layout.ts';
import { parseSearch, type TableSearch } from './table-search.ts';

withPages();

/** Opens the menu of a column. */
async function menuOf(field: string, first: Partial<TableLayout> = {}) {
  const held = heldColumns(first);
  let search: TableSearch = parseSearch(new URLSearchParams('find=milk&sort=price'));
  const Page = () => (
    <Menu trigger={<button type="button">Open</button>}>
      <ColumnMenu
        field={field}
        columns={held.useColumns()}
        changeSearch={(how) => {
          search = how(search);
        }}
      />
    </Menu>
  );
  await drawPages([{ path: '/', Component: Page }], '/');
  const open = () => act(async () => screen.getByRole('button', { name: 'Open' }).click());
  await open();
  await screen.findByRole('menu');
  const items = () => screen.getAllByRole('menuitem').map(({ textContent }) => textContent?.trim());
  const choose = (name: string | RegExp) => act(async () => screen.getByRole('menuitem', { name }).click());
  return { ...held, items, choose, search: () => search };
}

describe('the menu of a column', () => {
  test('says how many documents have the field', async () => {
    await menuOf('litres');
    expect(screen.getByText('litres · in 1,200 documents')).toBeDefined();
  });

  test('says that a single document has the field', async () => {
    await menuOf('price');
    expect(screen.getByText('price · in 1 document')).toBeDefined();
  });

  test('shows no number for a field that isn’t counted', async () => {
    await menuOf('shelf');
    expect(screen.queryByText(/shelf · in/)).toBeNull();
  });

  test.each([
    ['Sort ascending', false],
    ['Sort descending', true],
  ])('changes the order with "%s", and keeps the rest of the search', async (name, descending) => {
    const { choose, search } = await menuOf('litres');
    await choose(name);
    expect(search()).toEqual({ text: 'milk', conditions: [], sort: 'litres', descending });
  });

  test('adds a condition that the field exists', async () => {
    const { choose, search } = await menuOf('litres');
    await choose('Show only documents with this field');
    expect(search().conditions).toEqual([{ kind: 'test', path: 'litres', test: 'exists' }]);
  });

  test('hides the column', async () => {
    const { choose, shown } = await menuOf('litres');
    await choose('Hide');
    expect(shown()).toEqual(['_id', 'price', 'shelf']);
  });

  test('doesn’t offer to hide or require the id, which every document has', async () => {
    const { items } = await menuOf('_id');
    expect(items()).not.toContain('Hide');
    expect(items()).not.toContain('Show only documents with this field');
  });

  test.each([
    ['Move left', ['_id', 'price', 'litres', 'shelf']],
    ['Move right', ['_id', 'litres', 'shelf', 'price']],
    ['Pin to the left', ['_id', 'price', 'litres', 'shelf']],
  ])('moves the column with "%s"', async (name, expected) => {
    const { choose, shown } = await menuOf('price');
    await choose(name);
    expect(shown()).toEqual(expected);
  });

  test('unpins a pinned column', async () => {
    const { choose, layout } = await menuOf('_id');
    await choose('Unpin');
    expect(layout().pinned).toEqual([]);
  });

  test('widens the column, and offers no "Reset width" before that', async () => {
    const { choose, layout, items } = await menuOf('litres');
    expect(items()).not.toContain('Reset width');
    await choose(/Make wide/);
    expect(layout().widths).toEqual(new Map([['litres', 480]]));
  });

  test('resets the width of a resized column', async () => {
    const { choose, layout } = await menuOf('litres', { widths: new Map([['litres', 480]]) });
    await choose('Reset width');
    expect(layout().widths.size).toBe(0);
  });
});
