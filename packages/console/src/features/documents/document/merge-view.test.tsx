import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { MergeView } from './merge-view.tsx';

afterEach(cleanup);

const base = { title: 'Milk', price: 1, stock: { left: 3, shelf: 'A' } };
const mine = { title: 'Whole milk', price: 2, stock: { left: 3, shelf: 'A' } };
const theirs = { title: 'Milk', price: 3, stock: { left: 1, shelf: 'A' } };

function view() {
  const onMerge = vi.fn();
  render(<MergeView {...{ base, mine, theirs, onMerge }} onCancel={() => undefined} />);
  const field = (name: RegExp) => within(screen.getByRole('group', { name }));
  const use = screen.getByRole<HTMLButtonElement>('button', { name: 'Use the merged document' });
  return { onMerge, field, use };
}

const chosenIn = (group: ReturnType<typeof view>['field'] extends (name: RegExp) => infer G ? G : never) =>
  group.getAllByRole<HTMLInputElement>('radio').map(({ checked }) => checked);

describe('merging two versions of a document', () => {
  test('preselects the changed side if only one side changed a field', () => {
    const { field } = view();
    expect(chosenIn(field(/^title changed by you/))).toEqual([true, false]);
    expect(chosenIn(field(/^stock › left changed elsewhere/))).toEqual([false, true]);
  });

  test('disables the merge until the user chooses a side for each field that both sides changed', () => {
    const { field, use, onMerge } = view();
    const price = field(/^price changed in both versions/);
    expect([chosenIn(price), use.disabled]).toEqual([[false, false], true]);
    fireEvent.click(price.getByRole('radio', { name: /^My version/ }));
    expect(use.disabled).toBe(false);
    fireEvent.click(use);
    expect(onMerge).toHaveBeenCalledWith({ title: 'Whole milk', price: 2, stock: { left: 1, shelf: 'A' } });
  });

  test('lets the user overrule the preselected side', () => {
    const { field, use, onMerge } = view();
    fireEvent.click(field(/^title/).getByRole('radio', { name: /^The other version/ }));
    fireEvent.click(field(/^price/).getByRole('radio', { name: /^The other version/ }));
    fireEvent.click(use);
    expect(onMerge).toHaveBeenCalledWith(theirs);
  });
});
