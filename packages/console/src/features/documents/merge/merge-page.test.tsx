import { act, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import type { Fields } from '../../../values/document-fields.ts';
import { HOSTILE_NAMES } from '../../../values/hostile-names.fixture.ts';
import { MergePage } from './merge-page.tsx';

withPages();
afterEach(() => {
  localStorage.clear();
  vi.unstubAllGlobals();
});

const base = { title: 'Milk', price: 1, note: 'one two three', stock: { left: 3, shelf: 'A' } };
const mine = { title: 'Whole milk', price: 2, note: 'ONE two three', stock: { left: 3, shelf: 'A' } };
const theirs = { title: 'Milk', price: 3, note: 'one two THREE', stock: { left: 1, shelf: 'A' } };

interface Given {
  readonly base?: Fields | undefined;
  readonly mine?: Fields;
  readonly theirs?: Fields;
}

async function view(given: Given = {}) {
  const onMerge = vi.fn();
  const onCancel = vi.fn();
  const sides = {
    mineFacts: { name: 'Mine', person: undefined, text: 'You, not saved yet' },
    otherFacts: { name: 'The other version', person: 'Grace Hopper', text: 'Grace Hopper, just now' },
  };
  const props = { base, mine, theirs, ...given, ...sides, onMerge, onCancel };
  await drawPages([{ path: '/', element: <MergePage {...props} id="milk" /> }], '/');
  return { onMerge, onCancel };
}

const groups = () => screen.queryAllByRole('group').filter((one) => one.hasAttribute('data-conflict'));
const field = (name: RegExp) => within(screen.getByRole('group', { name }));
const use = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Use the merged document' });
const click = (element: HTMLElement) => act(async () => element.click());
const key = (name: string, more = {}) =>
  act(async () => void fireEvent.keyDown(document.activeElement ?? document.body, { key: name, ...more }));
const chosenIn = (name: RegExp) =>
  field(name)
    .getAllByRole<HTMLInputElement>('radio')
    .map(({ checked }) => checked);
const state = () => document.querySelector('[role=status]')?.textContent;

describe('merging two versions of a document', () => {
  test('disables the merge until the user chooses for each field that both sides changed', async () => {
    const { onMerge } = await view();
    expect([chosenIn(/^price changed in both versions/), use().disabled, state()]).toEqual([
      [false, false, false],
      true,
      '2 conflicts',
    ]);
    await click(field(/^price/).getByRole('radio', { name: 'My version 2' }));
    expect([use().disabled, state()]).toEqual([true, '1 of 2 conflicts left']);
    await click(field(/^note/).getByRole('radio', { name: /^The other version/ }));
    expect([use().disabled, state()]).toEqual([false, 'All 2 conflicts decided']);
    await click(use());
    expect(onMerge.mock.calls[0]?.[0]).toEqual({
      ...mine,
      note: 'one two THREE',
      stock: { left: 1, shelf: 'A' },
    });
  });

  test('merges fields that only one side changed, and lets the user undo such a change', async () => {
    const { onMerge } = await view({ mine: { ...mine, price: 3, note: base.note } });
    const merged = within(screen.getByRole('region', { name: 'Fields merged without a conflict' }));
    expect(merged.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'titleMilkWhole milkMineUndo',
      'noteone two threeone two THREEGraceUndo',
      'stock › left31GraceUndo',
    ]);
    expect(screen.getByText('1 field is the same in both')).toBeDefined();
    await click(merged.getByRole('button', { name: 'Undo this change of stock › left' }));
    await click(use());
    expect(onMerge.mock.calls[0]?.[0]).toEqual({
      ...theirs,
      title: 'Whole milk',
      stock: { left: 3, shelf: 'A' },
    });
  });

  test('combines both edits of a text', async () => {
    const { onMerge } = await view();
    await click(field(/^note/).getByRole('radio', { name: 'Use both edits' }));
    expect(field(/^price/).queryByRole('radio', { name: 'Use both edits' })).toBe(null);
    await click(screen.getByRole('button', { name: 'Use mine' }));
    await click(field(/^note/).getByRole('radio', { name: 'Use both edits' }));
    await click(use());
    expect(onMerge.mock.calls[0]?.[0]).toMatchObject({ price: 2, note: 'ONE two THREE' });
  });

  test('takes a value that the user writes: texts as typed, others as JSON', async () => {
    const { onMerge } = await view();
    await click(field(/^note/).getByRole('radio', { name: 'Write it yourself' }));
    fireEvent.change(screen.getByLabelText('Your own value of note'), { target: { value: '{"own' } });
    await click(field(/^price/).getByRole('radio', { name: 'Write it yourself' }));
    const price = screen.getByLabelText('Your own value of price');
    fireEvent.change(price, { target: { value: '7' } });
    fireEvent.change(price, { target: { value: '7,' } });
    expect(screen.getByText(/isn’t valid JSON yet. The last valid value is used./)).toBeDefined();
    await click(use());
    expect(onMerge.mock.calls[0]?.[0]).toMatchObject({ price: 7, note: '{"own' });
  });

  test('keeps what the user wrote when they try another choice, and after “Use mine”', async () => {
    const { onMerge } = await view();
    const own = () => screen.queryByLabelText<HTMLTextAreaElement>('Your own value of note')?.value;
    await click(field(/^note/).getByRole('radio', { name: 'Write it yourself' }));
    fireEvent.change(screen.getByLabelText('Your own value of note'), { target: { value: 'mine alone' } });
    await click(field(/^note/).getByRole('radio', { name: /^The other version/ }));
    expect(own()).toBe(undefined);
    await click(screen.getByRole('button', { name: 'Use mine' }));
    await click(field(/^note/).getByRole('radio', { name: 'Write it yourself' }));
    expect(own()).toBe('mine alone');
    await click(use());
    expect(onMerge.mock.calls[0]?.[0]).toMatchObject({ note: 'mine alone' });
  });

  test('takes bytes in the form of DAG-JSON, and says which form it needs', async () => {
    const { onMerge } = await view({
      base: {},
      mine: { raw: Uint8Array.of(1) },
      theirs: { raw: Uint8Array.of(2) },
    });
    await click(field(/^raw/).getByRole('radio', { name: 'Write it yourself' }));
    const raw = screen.getByLabelText('Your own value of raw');
    fireEvent.change(raw, { target: { value: '{"/": "bafy"}' } });
    expect(screen.getByText(/^You can use only links that are in one of the versions/)).toBeDefined();
    expect(screen.getByText(/^JSON, with bytes as .* New links can’t be written here\.$/)).toBeDefined();
    fireEvent.change(raw, { target: { value: '{"/": {"bytes": "AwQ"}}' } });
    await click(use());
    expect(onMerge.mock.calls[0]?.[0]).toEqual({ raw: Uint8Array.of(3, 4) });
  });

  test('says that the user can’t write an integer that JSON can’t express', async () => {
    await view({ base: {}, mine: { count: 2n ** 60n }, theirs: { count: 1 } });
    expect(field(/^count/).queryByRole('radio', { name: 'Write it yourself' })).toBe(null);
    expect(screen.getByText(/^You can’t write this value yourself/)).toBeDefined();
  });

  test('chooses one side for all conflicts', async () => {
    const { onMerge } = await view();
    await click(screen.getByRole('button', { name: 'Use Grace’s' }));
    await click(use());
    expect(onMerge.mock.calls[0]?.[0]).toMatchObject({ title: 'Whole milk', price: 3, note: theirs.note });
  });

  test('asks for every field that differs if the common base isn’t known', async () => {
    await view({ base: undefined });
    expect(state()).toBe('4 conflicts');
    expect(screen.queryByRole('region', { name: 'Fields merged without a conflict' })).toBe(null);
  });

  test('names the types of values that look alike', async () => {
    await view({ mine: { price: '2' }, theirs: { price: 2 }, base: { price: 1 } });
    expect(
      field(/^price/)
        .getAllByRole('radio')
        .map((one) => one.closest('label')?.textContent),
    ).toEqual(['My version 2text', 'The other version 2number', 'Write it yourself']);
  });

  test('shows the merged document, with open fields marked', async () => {
    await view();
    const json = () => screen.getByLabelText('Merged document as JSON').textContent;
    expect(json()).toContain('Open:   "price": choose one');
    await click(field(/^price/).getByRole('radio', { name: 'My version 2' }));
    expect(json()).toContain('Mine:   "price": 2');
    expect(json()).toContain('The other version:   "stock": {');
  });

  test.each(HOSTILE_NAMES)('merges a field named %j', async (name) => {
    const doc = (value: unknown) =>
      Object.fromEntries([
        [name, value],
        ['in', Object.fromEntries([[name, value]])],
      ]);
    const { onMerge } = await view({ base: doc('a'), mine: doc('b'), theirs: doc('c') });
    expect(groups()).toHaveLength(2);
    for (const group of groups()) await click(within(group).getByRole('radio', { name: 'My version b' }));
    await click(use());
    expect(onMerge.mock.calls[0]?.[0]).toEqual(doc('b'));
  });
});

describe('the keys of a merge', () => {
  test('goes to the next open conflict with N, and chooses with 1, 2 and 3', async () => {
    await view();
    await key('n');
    expect(document.activeElement?.closest('[role=group]')?.textContent).toMatch(/^price/);
    await key('2');
    expect(chosenIn(/^price/)).toEqual([false, true, false]);
    await key('n');
    await key('3');
    expect(chosenIn(/^note/)).toEqual([false, false, true, false]);
    await key('1');
    expect(chosenIn(/^note/)).toEqual([true, false, false, false]);
    expect(use().disabled).toBe(false);
  });

  test('ignores keys while the user types, with Ctrl, and when single keys are off', async () => {
    await view();
    await key('1', { ctrlKey: true });
    await click(field(/^note/).getByRole('radio', { name: 'Write it yourself' }));
    screen.getByLabelText('Your own value of note').focus();
    await key('1');
    expect(chosenIn(/^price/)).toEqual([false, false, false]);
    (document.activeElement as HTMLElement).blur();
    localStorage.setItem('singleKeyShortcuts', 'off');
    await key('1');
    expect(chosenIn(/^price/)).toEqual([false, false, false]);
  });
});

describe('a merge on a phone', () => {
  test('shows one field per screen, then the result', async () => {
    const media = { addEventListener: () => undefined, removeEventListener: () => undefined };
    vi.stubGlobal('matchMedia', (query: string) => ({ ...media, matches: query.includes('< 40rem') }));
    const { onMerge } = await view();
    const names = () => groups().map((one) => one.querySelector('h3')?.firstChild?.textContent);
    expect([names(), state()]).toEqual([['price'], 'Field 1 of 2']);
    expect(screen.queryByRole('region', { name: 'Merged document' })).toBe(null);
    await click(field(/^price/).getByRole('radio', { name: 'My version 2' }));
    await click(screen.getByRole('button', { name: 'Next field' }));
    expect(names()).toEqual(['note']);
    await click(field(/^note/).getByRole('radio', { name: /^My version/ }));
    await click(screen.getByRole('button', { name: 'Result' }));
    expect([names(), state()]).toEqual([[], 'Result']);
    expect(screen.getByRole('region', { name: 'Merged document' })).toBeDefined();
    await click(use());
    expect(onMerge).toHaveBeenCalled();
  });
});
