import { screen, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { heldColumns } from './column-parts.fixture.tsx';
import { ColumnsDialog } from './columns-dialog.tsx';
import type { TableLayout } from './table-layout.ts';

withPages();

async function dialog(first: Partial<TableLayout> = {}) {
  const held = heldColumns(first);
  let closed = 0;
  const Page = () => <ColumnsDialog open onClose={() => (closed += 1)} columns={held.useColumns()} />;
  await drawPages([{ path: '/', Component: Page }], '/');
  const list = () => screen.getByRole('list', { name: 'Columns' });
  const box = (name: RegExp) => within(list()).getByRole<HTMLInputElement>('checkbox', { name });
  const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
  return {
    ...held,
    box,
    button,
    closed: () => closed,
    press: (name: string) => held.press(button(name)),
    listed: () =>
      within(list())
        .getAllByRole('checkbox')
        .map((one) => (one.closest('label')?.textContent ?? '').replace(/documents: [\d,]+$/, '')),
  };
}

describe('choosing columns', () => {
  test('lists every field, hidden ones last, with the number of documents that have it', async () => {
    const { listed, box } = await dialog({ hidden: ['litres'] });
    expect(listed()).toEqual(['document id', 'price', 'shelf', 'litres']);
    expect(box(/^litres/).closest('label')?.textContent).toBe('litresdocuments: 1,200');
    expect([box(/^litres/).checked, box(/^price/).checked]).toEqual([false, true]);
  });

  test('hides a column, and shows it again', async () => {
    const { press: _, ...held } = await dialog();
    await held.box(/^price/).click();
    expect(held.shown()).toEqual(['_id', 'litres', 'shelf']);
    await held.box(/^price/).click();
    expect(held.shown()).toEqual(['_id', 'litres', 'price', 'shelf']);
  });

  test('never hides the column of ids, which holds the links', async () => {
    const { box } = await dialog();
    expect(box(/^document id/).disabled).toBe(true);
  });

  test('moves a column one step, and stops at the end', async () => {
    const { press, shown } = await dialog();
    await press('Move litres right');
    expect(shown()).toEqual(['_id', 'price', 'litres', 'shelf']);
    await press('Move litres right');
    await press('Move litres right');
    expect(shown()).toEqual(['_id', 'price', 'shelf', 'litres']);
    await press('Move shelf left');
    expect(shown()).toEqual(['_id', 'shelf', 'price', 'litres']);
  });

  test('doesn’t move a hidden column', async () => {
    const { button } = await dialog({ hidden: ['litres'] });
    expect([button('Move litres left').disabled, button('Move litres right').disabled]).toEqual([true, true]);
  });

  test('pins a column next to the ids, and unpins it', async () => {
    const { press, shown, button } = await dialog();
    await press('Pin shelf');
    expect(shown()).toEqual(['_id', 'shelf', 'litres', 'price']);
    expect(button('Unpin shelf')).toBeDefined();
    await press('Unpin shelf');
    expect(shown()).toEqual(['_id', 'litres', 'price', 'shelf']);
  });

  test('resets order, widths, pins and hidden columns together', async () => {
    const { press, layout } = await dialog({
      order: ['shelf'],
      hidden: ['price'],
      pinned: [],
      widths: new Map([['litres', 300]]),
    });
    await press('Reset');
    expect(layout()).toEqual({ order: [], hidden: [], pinned: ['_id'], widths: new Map() });
  });

  test('closes with Done', async () => {
    const { press, closed } = await dialog();
    await press('Done');
    expect(closed()).toBe(1);
  });
});
