import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { withPages } from '../../../ui/pages.fixture.tsx';
import { HOSTILE_NAMES } from '../../../values/hostile-names.fixture.ts';
import {
  chooseFor,
  type DrawnFields,
  drawFields,
  itemsFor,
  press,
  pressKey,
  type,
} from './fields-view.fixture.tsx';

withPages();

const DOC = { name: 'Milk', tags: ['cold', 'white'], at: { lat: 1, deep: { x: true } }, none: null };

const draw = (doc: unknown = DOC, more: Partial<DrawnFields> = {}) =>
  drawFields({ view: 'tree', text: JSON.stringify(doc), ...more });

const rows = () => screen.queryAllByRole('row');
const keyOf = (row: Element | null | undefined) => row?.getAttribute('data-node') ?? '';
const shown = () => rows().map(keyOf);
const row = (...path: (string | number)[]) => {
  const found = rows().find((one) => keyOf(one) === JSON.stringify(path));
  if (found === undefined) throw new Error(`no row ${path.join('.')}`);
  return found;
};
const focused = () => keyOf(document.activeElement);
const focus = (...path: (string | number)[]) => act(async () => row(...path).focus());
/** Presses a key in the focused row. */
const key = (name: string, more: KeyboardEventInit = {}) =>
  pressKey(document.activeElement ?? document.body, name, more);
const shownValue = (...path: (string | number)[]) =>
  within(row(...path))
    .getAllByRole('gridcell')[1]
    ?.querySelector('button, span') as HTMLButtonElement;

describe('a large tree', () => {
  const items = Array.from({ length: 110 }, (_, at) => at);
  const count = () => document.querySelectorAll('[role=row]').length;
  const click = (element: HTMLElement) => act(async () => element.click());

  test('opens with its large parts folded, and shows them in steps', async () => {
    await draw({ name: 'Milk', items, last: { x: 1 } }, { canWrite: false });
    expect(shown()).toEqual(['["name"]', '["items"]', '["last"]', '["last","x"]']);
    await click(screen.getByLabelText('Unfold items'));
    expect(count()).toBe(100);
    await click(screen.getByText('Show 14 of 14 more rows'));
    expect([count(), screen.queryByText(/more rows/)]).toEqual([114, null]);
    await click(screen.getByLabelText('Fold items'));
    expect(count()).toBe(4);
  });
});

describe('the rows of a tree', () => {
  test('names each row by its field and its value, without its buttons', async () => {
    await draw({ at: { lat: 1 }, tags: ['x'] });
    const names = rows().map((one) => one.getAttribute('aria-label'));
    expect(names).toEqual(['at: 1 field', 'lat: 1', 'tags: 1 value', '0: x']);
  });

  test('shows each value with its level, its position and its siblings', async () => {
    await draw();
    const facts = rows().map((one) =>
      ['level', 'posinset', 'setsize', 'expanded'].map((name) => one.getAttribute(`aria-${name}`)).join(' '),
    );
    expect(shown()).toEqual([
      '["name"]',
      '["tags"]',
      '["tags",0]',
      '["tags",1]',
      '["at"]',
      '["at","lat"]',
      '["at","deep"]',
      '["at","deep","x"]',
      '["none"]',
    ]);
    expect(facts.map((fact) => fact.trim())).toEqual(
      ['1 1 4', '1 2 4 true', '2 1 2', '2 2 2', '1 3 4 true', '2 1 2', '2 2 2 true', '3 1 1', '1 4 4'].map(
        (fact) => expect.stringMatching(new RegExp(`^${fact}( null)?$`)),
      ),
    );
  });

  test.each<[unknown, string]>([
    ['', '(empty)'],
    [1.5, '1.5'],
    [null, 'null'],
    [[], '0 values'],
    [[7], '1 value'],
    [{}, '0 fields'],
    [{ a: 1 }, '1 field'],
  ])('shows the value %j as "%s"', async (value, text) => {
    await draw({ value });
    expect(shownValue('value').textContent).toBe(text);
  });

  test('shows every name as data', async () => {
    await draw(Object.fromEntries(HOSTILE_NAMES.map((name, at) => [name, at])));
    expect(
      shown()
        .map((one) => JSON.parse(one)[0])
        .toSorted(),
    ).toEqual(HOSTILE_NAMES.toSorted());
    expect(shownValue('__proto__').textContent).toBe(String(HOSTILE_NAMES.indexOf('__proto__')));
  });

  test('shows an empty document, to which a field can be added', async () => {
    const { json } = await draw({});
    expect([rows(), screen.queryByRole('button', { name: 'Fold all' })]).toEqual([[], null]);
    await press('Add a field');
    await type('Name of the new field', 'first');
    await pressKey(screen.getByLabelText('Name of the new field'), 'x');
    await act(async () => void fireEvent.submit(screen.getByLabelText('Name of the new field')));
    expect([json(), shown()]).toEqual([{ first: '' }, ['["first"]']]);
  });
});

describe('the keys of a tree', () => {
  test.each<[string, (string | number)[], string, string]>([
    ['the next row', ['name'], 'ArrowDown', '["tags"]'],
    ['the previous row', ['tags', 0], 'ArrowUp', '["tags"]'],
    ['the first value of a group', ['tags'], 'ArrowRight', '["tags",0]'],
    ['the group of a value', ['at', 'deep', 'x'], 'ArrowLeft', '["at","deep"]'],
    ['the first row', ['at', 'lat'], 'Home', '["name"]'],
    ['the last row', ['name'], 'End', '["none"]'],
  ])('focuses %s', async (_name, from, name, to) => {
    await draw();
    await focus(...from);
    expect([await key(name), focused()]).toEqual([true, to]);
    expect(
      rows()
        .filter(({ tabIndex }) => tabIndex === 0)
        .map(keyOf),
    ).toEqual([to]);
  });

  test('stays at the first and at the last row', async () => {
    await draw();
    await focus('name');
    await key('ArrowUp');
    expect(focused()).toBe('["name"]');
    await key('End');
    await key('ArrowDown');
    expect(focused()).toBe('["none"]');
  });

  test.each<[string, KeyboardEventInit]>([
    ['ArrowDown', { ctrlKey: true }],
    ['End', { metaKey: true }],
    ['ArrowLeft', { altKey: true }],
    ['ArrowRight', {}],
    ['ArrowLeft', {}],
    ['x', {}],
  ])('leaves %s with %j to the browser', async (name, more) => {
    await draw();
    await focus('name');
    expect([await key(name, more), focused()]).toEqual([false, '["name"]']);
  });

  test('folds and unfolds a group', async () => {
    await draw();
    await focus('tags');
    await key('ArrowLeft');
    expect([row('tags').getAttribute('aria-expanded'), shown().includes('["tags",0]'), focused()]).toEqual([
      'false',
      false,
      '["tags"]',
    ]);
    expect(screen.queryByRole('button', { name: 'Add a value to tags' })).toBeNull();
    await key('ArrowDown');
    expect(focused()).toBe('["at"]');
    await key('ArrowUp');
    await key('ArrowRight');
    expect([row('tags').getAttribute('aria-expanded'), focused()]).toEqual(['true', '["tags"]']);
  });

  test('moves a value of a list, and keeps the focus on it', async () => {
    const { json } = await draw();
    await focus('tags', 0);
    await key('ArrowUp', { altKey: true });
    expect(json()).toEqual(DOC);
    await key('ArrowDown', { altKey: true });
    expect([json(), focused()]).toEqual([{ ...DOC, tags: ['white', 'cold'] }, '["tags",1]']);
    await key('ArrowDown', { altKey: true });
    expect([json(), focused()]).toEqual([{ ...DOC, tags: ['white', 'cold'] }, '["tags",1]']);
    await focus('name');
    await key('ArrowDown', { altKey: true });
    expect([Object.keys(json() as object), focused()]).toEqual([Object.keys(DOC), '["name"]']);
  });

  test('edits nothing without the right to write', async () => {
    const { json } = await draw(DOC, { canWrite: false });
    await focus('tags', 0);
    await key('ArrowDown', { altKey: true });
    expect([await key('Enter'), await key('F2'), json()]).toEqual([false, false, DOC]);
    expect(screen.queryAllByRole('textbox')).toEqual([]);
    expect(shownValue('name').disabled).toBe(true);
    expect(screen.getByLabelText<HTMLSelectElement>('Type of name').disabled).toBe(true);
    expect(screen.queryByRole('button', { name: /^Add/ })).toBeNull();
    expect(await itemsFor('name')).toEqual(['Copy link to this field']);
  });
});

describe('folding all', () => {
  test('leaves only the fields of the document, and unfolds all groups again', async () => {
    await draw();
    const all = shown();
    await press('Fold all');
    expect(shown()).toEqual(['["name"]', '["tags"]', '["at"]', '["none"]']);
    await press('Unfold at');
    // The group inside is still folded.
    expect(shown()).toEqual(['["name"]', '["tags"]', '["at"]', '["at","lat"]', '["at","deep"]', '["none"]']);
    await press('Unfold all');
    expect(shown()).toEqual(all);
  });

  test('keeps a row focusable when the focused row disappears', async () => {
    await draw();
    await focus('at', 'deep', 'x');
    await press('Fold at');
    expect(
      rows()
        .filter(({ tabIndex }) => tabIndex === 0)
        .map(keyOf),
    ).toEqual(['["name"]']);
  });
});

describe('editing a value in the tree', () => {
  test.each(['Enter', 'F2'])('begins with %s, writes each change, and ends with Enter', async (begin) => {
    const { json } = await draw();
    await focus('at', 'lat');
    await key(begin);
    const input = screen.getByLabelText('at › lat');
    expect(document.activeElement).toBe(input);
    await type('at › lat', '2.50');
    expect(json()).toMatchObject({ at: { lat: 2.5 } });
    await pressKey(input, 'Enter');
    expect([shownValue('at', 'lat').textContent, focused()]).toEqual(['2.50', '["at","lat"]']);
  });

  test('restores the value, with its digits, on Escape', async () => {
    const text = '{"n": 1.50, "m": 2}';
    const drawn = await draw(undefined, { text });
    await focus('n');
    await key('Enter');
    await type('n', '7');
    expect(drawn.json()).toEqual({ n: 7, m: 2 });
    await pressKey(screen.getByLabelText('n'), 'Escape');
    expect([drawn.text(), focused()]).toEqual([text, '["n"]']);
  });

  test('returns the focus to the row after a value was edited by click', async () => {
    await draw();
    await act(async () => shownValue('at', 'lat').click());
    await type('at › lat', '3');
    await pressKey(screen.getByLabelText('at › lat'), 'Enter');
    expect(focused()).toBe('["at","lat"]');
  });

  test('writes lines into a long text with Enter', async () => {
    const { json } = await draw({ note: 'one\ntwo' });
    await focus('note');
    await key('Enter');
    const input = screen.getByLabelText('note');
    expect([input.tagName, await pressKey(input, 'Enter')]).toEqual(['TEXTAREA', false]);
    await type('note', 'one\ntwo\n"three"');
    expect(json()).toEqual({ note: 'one\ntwo\n"three"' });
    await pressKey(input, 'Escape');
    expect(json()).toEqual({ note: 'one\ntwo' });
  });

  test('keeps keys of the input from the tree', async () => {
    await draw();
    await focus('name');
    await key('Enter');
    const input = screen.getByLabelText('name');
    await pressKey(input, 'ArrowDown');
    await pressKey(input, 'End');
    expect(document.activeElement).toBe(input);
  });

  test('edits no group as a value', async () => {
    await draw();
    await focus('at');
    expect([await key('Enter'), shownValue('at').tagName]).toEqual([false, 'SPAN']);
  });
});

describe('the name of a field in the tree', () => {
  const rename = async (field: string, label: string, name: string) => {
    await chooseFor(field, 'Rename');
    await type(`New name of ${label}`, name);
    await act(async () => void fireEvent.submit(screen.getByLabelText(`New name of ${label}`)));
  };

  test('changes in its place, and the row keeps the focus', async () => {
    const { json } = await draw();
    await rename('at › lat', 'at › lat', 'latitude');
    expect(Object.keys((json() as typeof DOC).at)).toEqual(['latitude', 'deep']);
    await waitFor(() => expect(focused()).toBe('["at","latitude"]'));
  });

  test.each([
    ['tags', 'There is already a field of this name.'],
    ['_id', 'The _id of a document can’t be changed.'],
  ])('doesn’t become %s, and says why', async (name, why) => {
    const { json } = await draw();
    await rename('name', 'name', name);
    const input = screen.getByLabelText('New name of name');
    expect([screen.getByText(why).id, input.getAttribute('aria-invalid'), json()]).toEqual([
      input.getAttribute('aria-describedby'),
      'true',
      DOC,
    ]);
    await pressKey(input, 'Escape');
    expect([json(), screen.queryByLabelText('New name of name')]).toEqual([DOC, null]);
  });

  test('becomes _id in an object inside the document', async () => {
    const { json } = await draw();
    await rename('at › lat', 'at › lat', '_id');
    expect(json()).toMatchObject({ at: { _id: 1 } });
  });

  test('shows no problem with a name that is empty, and stays', async () => {
    const { json } = await draw({ '': 1, a: 2 });
    await chooseFor('(empty name)', 'Rename');
    expect(screen.getByLabelText('New name of (empty name)').getAttribute('aria-invalid')).toBe('false');
    await act(async () => void fireEvent.submit(screen.getByLabelText('New name of (empty name)')));
    expect([json(), screen.queryByLabelText('New name of (empty name)')]).toEqual([{ '': 1, a: 2 }, null]);
  });

  test('changes when the input loses the focus', async () => {
    const { json } = await draw({ a: 1 });
    await chooseFor('a', 'Rename');
    await type('New name of a', '__proto__');
    await act(async () => screen.getByLabelText('New name of a').blur());
    expect(Object.entries(json() as object)).toEqual([['__proto__', 1]]);
  });
});

describe('the menu of a field in the tree', () => {
  test('offers to rename fields, and to move values', async () => {
    await draw();
    expect(await itemsFor('name')).toEqual(['Rename', 'Copy link to this field', 'Remove field']);
    await press('More for name');
    await waitFor(() => expect(screen.queryAllByRole('menuitem')).toEqual([]));
    expect(await itemsFor('tags › 1')).toEqual([
      'Move up',
      'Move down',
      'Copy link to this field',
      'Remove value',
    ]);
  });

  test('moves and removes values', async () => {
    const { json } = await draw();
    await chooseFor('tags › 1', 'Move up');
    expect(json()).toMatchObject({ tags: ['white', 'cold'] });
    await chooseFor('tags › 0', 'Remove value');
    expect(json()).toMatchObject({ tags: ['cold'] });
    await chooseFor('at', 'Remove field');
    expect(json()).not.toHaveProperty('at');
  });
});
