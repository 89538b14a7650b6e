import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { withPages } from '../../../ui/pages.fixture.tsx';
import { HOSTILE_NAMES } from '../../../values/hostile-names.fixture.ts';
import { withText } from '../document/draft.ts';
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
afterEach(() => void vi.restoreAllMocks());

const draw = (doc: unknown, more: Partial<DrawnFields> = {}) =>
  drawFields({ view: 'form', text: JSON.stringify(doc), ...more });

const input = (label: string) => screen.getByLabelText<HTMLInputElement>(label, { selector: '[data-field]' });
const choose = (label: string, value: string) =>
  act(async () => void fireEvent.change(screen.getByLabelText(label), { target: { value } }));

describe('a field that the text has twice', () => {
  const TEXT = '{"a": 1, "b": {"c": 1, "c": [2]}, "a": "last"}';

  test.each(['form', 'tree'] as const)(
    'is shown once and read-only in the %s until the user removes the others',
    async (view) => {
      const { text, json } = await drawFields({ view, text: TEXT });
      expect(
        screen.getByText(/^The JSON contains “a”, “b › c” twice\. Only the last value is saved/),
      ).toBeDefined();
      if (view === 'form') {
        expect([input('a').value, input('a').readOnly]).toEqual(['last', true]);
        expect(screen.queryByRole('button', { name: 'Add field' })).toBeNull();
      }
      await press('Remove the other values');
      expect(text()).toBe('{"b": {"c": [2]}, "a": "last"}');
      expect(screen.queryByText(/twice/)).toBeNull();
      if (view === 'form') await type('a', 'edited');
      expect(json()).toEqual({ b: { c: [2] }, a: view === 'form' ? 'edited' : 'last' });
    },
  );

  test('has no button where nobody can write', async () => {
    await drawFields({ view: 'form', text: TEXT, canWrite: false });
    expect(screen.getByText(/twice/)).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Remove the other values' })).toBeNull();
  });
});

describe('the input of a value', () => {
  test.each<[unknown, string, string, string]>([
    ['Milk', 'INPUT', 'text', 'Milk'],
    ['', 'INPUT', 'text', ''],
    ['a\nb', 'TEXTAREA', 'textarea', 'a\nb'],
    ['x'.repeat(81), 'TEXTAREA', 'textarea', 'x'.repeat(81)],
    ['x'.repeat(80), 'INPUT', 'text', 'x'.repeat(80)],
    ['2026-11-29', 'INPUT', 'date', '2026-11-29'],
    ['2026-02-30', 'INPUT', 'text', '2026-02-30'],
    [7, 'INPUT', 'text', '7'],
    [true, 'INPUT', 'checkbox', 'on'],
    [null, 'INPUT', 'text', 'null'],
  ])('shows %j in a %s of the type %s', async (value, tag, kind, shown) => {
    await draw({ value });
    const { tagName, type: shownKind, value: shownValue } = input('value');
    expect([tagName, shownKind, shownValue]).toEqual([tag, kind, shown]);
  });

  test.each<[unknown, string, unknown]>([
    ['Milk', '"quoted"\\', '"quoted"\\'],
    ['Milk', '{"a": 1}', '{"a": 1}'],
    ['', '👩‍🌾 é', '👩‍🌾 é'],
    ['a\nb', 'a\n\tb\u2028', 'a\n\tb\u2028'],
    ['2026-11-29', '2026-11-30', '2026-11-30'],
    ['2026-11-29', '', '2026-11-29'],
    [7, '-0.5e3', -500],
  ])('writes %j changed to %j as %j', async (value, typed, expected) => {
    const { json } = await draw({ value, other: [1] });
    await type('value', typed);
    expect(json()).toEqual({ value: expected, other: [1] });
  });

  test('keeps the line ends of a text that gets them later', async () => {
    const { live } = await draw({ value: 'Milk' });
    const change = (value: string) =>
      act(async () => live.change((draft) => withText(draft, JSON.stringify({ value }))));
    await change('two\nlines');
    expect([input('value').tagName, input('value').value]).toEqual(['TEXTAREA', 'two\nlines']);
    await change('one line');
    expect(input('value').tagName).toBe('TEXTAREA');
  });

  test('shows a truth value as a box, and says its state', async () => {
    const { json } = await draw({ cold: false });
    expect(input('cold').checked).toBe(false);
    await act(async () => input('cold').click());
    expect([json(), input('cold').checked, screen.getByText('true').getAttribute('aria-hidden')]).toEqual([
      { cold: true },
      true,
      'true',
    ]);
  });

  test('lets only the type of null change', async () => {
    const { json } = await draw({ a: null });
    expect(input('a').readOnly).toBe(true);
    await choose('Type of a', 'text');
    expect([json(), input('a').readOnly]).toEqual([{ a: '' }, false]);
  });

  test('keeps the input of a text while a long text is typed', async () => {
    const { json } = await draw({ note: 'x' });
    const before = input('note');
    await type('note', 'x'.repeat(100));
    expect([input('note') === before, json()]).toEqual([true, { note: 'x'.repeat(100) }]);
  });

  test('keeps the zone of a moment, and shows it', async () => {
    const { json } = await draw({ at: '2026-11-29T10:05:30Z' });
    expect([input('at').type, screen.getByText('UTC').textContent]).toEqual(['datetime-local', 'UTC']);
    await type('at', '2026-11-29T11:06:07');
    expect(json()).toEqual({ at: '2026-11-29T11:06:07Z' });
  });
});

describe('a number', () => {
  test.each(['form', 'tree'] as const)(
    'says in the %s that it loses digits, and how to keep them',
    async (view) => {
      const { text } = await drawFields({ view, text: '{"n": 9007199254740993}' });
      if (view === 'tree') {
        expect(screen.getByText('would become 9007199254740992')).toBeDefined();
        const row = screen.getAllByRole('row').find((one) => one.getAttribute('data-node') === '["n"]');
        await act(async () => row?.focus());
        await pressKey(row ?? document.body, 'Enter');
      }
      const [number] = await screen.findAllByLabelText<HTMLInputElement>('n', { selector: '[data-field]' });
      const note = () => document.getElementById(number?.getAttribute('aria-describedby') ?? '')?.textContent;
      expect(note()).toBe(
        '9007199254740993 would become 9007199254740992. Change the type to text to keep all digits.',
      );
      expect([number?.value, number?.getAttribute('aria-invalid')]).toEqual(['9007199254740993', 'true']);
      await type('n', '0.1234567890123456789');
      expect(note()).toContain('would become 0.12345678901234568.');
      await type('n', '9007199254740992');
      expect([note(), number?.getAttribute('aria-invalid')]).toEqual(['', 'false']);
      expect(text()).toBe('{"n": 9007199254740992}');
    },
  );

  test('keeps all digits of a text that becomes a number, and says that it loses them', async () => {
    const { text } = await draw({ n: '9007199254740993' });
    await choose('Type of n', 'number');
    expect(text()).toBe('{"n":9007199254740993}');
    expect(screen.getByText(/would become 9007199254740992/)).toBeDefined();
    await choose('Type of n', 'text');
    expect(text()).toBe('{"n":"9007199254740993"}');
  });

  test('keeps its last value while something else is typed, and says that this isn’t a number', async () => {
    const { json } = await draw({ n: 12 });
    const wrong = ['', '-', '1.', '1e', '01', '+1', '.5', 'NaN', 'Infinity', '0x10', '1,5', ' 1', '1_000'];
    for (const typed of wrong) {
      await type('n', typed);
      expect([json(), input('n').value, input('n').getAttribute('aria-invalid')]).toEqual([
        { n: 12 },
        typed,
        'true',
      ]);
      expect(screen.getByText('This isn’t a number.')).toBeDefined();
    }
  });

  test('writes the digits as typed', async () => {
    const { text } = await draw({ n: 12 });
    for (const typed of ['1.50', '12345678901234567890', '0.1', '1E5', '-7e-3', '1.0']) {
      await type('n', typed);
      expect([text(), input('n').value]).toEqual([`{"n":${typed}}`, typed]);
      expect(screen.queryByText('This isn’t a number.')).toBeNull();
    }
  });

  test('follows a change from elsewhere', async () => {
    const { live } = await draw({ n: 12 });
    await type('n', '-');
    await act(async () => live.typed('{"n": 13}'));
    expect([input('n').value, screen.queryByText('This isn’t a number.')]).toEqual(['13', null]);
  });
});

describe('the fields of a form', () => {
  const DOC = { name: 'Milk', at: { lat: 1, tags: ['a', 'b'] }, none: [] };

  test('shows groups that their paths name', async () => {
    await draw(DOC);
    const at = screen.getByRole('group', { name: 'at' });
    const tags = within(at).getByRole('group', { name: 'at › tags' });
    expect(
      within(tags)
        .getAllByRole('textbox')
        .map((one) => one.getAttribute('aria-label')),
    ).toEqual(['at › tags › 0', 'at › tags › 1']);
    // The visible text is part of the name (WCAG 2.5.3).
    expect(within(tags).getByText('0')).toBeDefined();
    expect(within(screen.getByRole('group', { name: 'none' })).queryAllByRole('textbox')).toEqual([]);
  });

  test('labels every name', async () => {
    await draw(Object.fromEntries(HOSTILE_NAMES.map((name) => [name, name])));
    const inputs = screen.getAllByRole<HTMLInputElement>('textbox');
    expect(inputs.map(({ value }) => value).toSorted()).toEqual(HOSTILE_NAMES.toSorted());
    expect(inputs.map((one) => one.getAttribute('aria-label')?.trim()).filter((label) => !label)).toEqual([]);
  });

  test('adds fields at the end', async () => {
    const { json } = await draw(DOC);
    await press('Add a field to at');
    const label = 'Name of the new field to at';
    await type(label, '__proto__');
    await act(async () => void fireEvent.submit(screen.getByLabelText(label)));
    const { at } = json() as typeof DOC;
    expect(Object.entries(at)).toEqual([
      ['lat', 1],
      ['tags', ['a', 'b']],
      ['__proto__', ''],
    ]);
    expect(screen.queryByLabelText(label)).toBeNull();
  });

  test('adds no field that is unnamed, cancelled, taken, or the id', async () => {
    const { json } = await draw(DOC);
    const label = 'Name of the new field';
    const add = async (name: string) => {
      await press('Add a field');
      await type(label, name);
    };
    await add('');
    await act(async () => screen.getByLabelText(label).blur());
    await add('zip');
    expect(await pressKey(screen.getByLabelText(label), 'Escape')).toBe(true);
    await add('name');
    await act(async () => void fireEvent.submit(screen.getByLabelText(label)));
    expect(screen.getByText('There is already a field of this name.')).toBeDefined();
    await act(async () => screen.getByLabelText(label).blur());
    await add('_id');
    await act(async () => void fireEvent.submit(screen.getByLabelText(label)));
    expect(screen.getByText('The _id of a document can’t be changed.')).toBeDefined();
    expect(json()).toEqual(DOC);
  });

  test.each<[unknown[], unknown[]]>([
    [[], ['']],
    [['a'], ['a', '']],
    [[5], [5, 0]],
    [[true], [true, false]],
    [
      [1, null],
      [1, null, null],
    ],
    [[{ a: 1 }], [{ a: 1 }, {}]],
    [[[1]], [[1], []]],
  ])('adds to the list %j a value like the last one: %j', async (list, expected) => {
    const { json } = await draw({ list });
    await press('Add a value to list');
    expect(json()).toEqual({ list: expected });
  });

  test('changes types, and keeps what the new type can hold', async () => {
    const { json } = await draw({ a: '12', b: { c: 1 }, d: 'x' });
    await choose('Type of a', 'number');
    await choose('Type of b', 'text');
    await choose('Type of d', 'list');
    expect(json()).toEqual({ a: 12, b: '{"c":1}', d: ['x'] });
    await choose('Type of d', 'object');
    expect(json()).toMatchObject({ d: {} });
  });

  test('renames, moves and removes fields', async () => {
    const { json, text } = await draw(DOC);
    await chooseFor('name', 'Rename');
    await type('New name of name', 'title');
    await act(async () => void fireEvent.submit(screen.getByLabelText('New name of name')));
    expect(text().startsWith('{"title":"Milk","at"')).toBe(true);
    await chooseFor('at › tags › 0', 'Move down');
    await chooseFor('at › tags › 1', 'Move down');
    expect(json()).toMatchObject({ at: { tags: ['b', 'a'] } });
    await chooseFor('at › tags › 0', 'Remove value');
    await chooseFor('none', 'Remove field');
    expect(json()).toEqual({ title: 'Milk', at: { lat: 1, tags: ['a'] } });
  });

  test('changes nothing without the right to write', async () => {
    const { json } = await draw({ name: 'Milk', cold: true, n: 1 }, { canWrite: false });
    expect([input('name').readOnly, input('cold').disabled, input('n').readOnly]).toEqual([true, true, true]);
    expect(screen.queryAllByRole('button', { name: /^Add/ })).toEqual([]);
    expect(screen.getByLabelText<HTMLSelectElement>('Type of n').disabled).toBe(true);
    expect(await itemsFor('name')).toEqual(['Copy link to this field']);
    expect(json()).toEqual({ name: 'Milk', cold: true, n: 1 });
  });
});

describe('links to documents in a form', () => {
  const OTHERS = [{ _id: 'rice' }, { _id: 'new' }];
  const links = () => screen.queryAllByRole('link').map((one) => one.getAttribute('href'));

  test('leads from values that are ids of documents', async () => {
    const doc = { main: 'rice', list: ['new', 'gone'], n: 5, rice: 'x' };
    const { path } = await draw(doc, { others: OTHERS });
    await waitFor(() => expect(links()).toEqual(['/docs/rice', '/docs/~new']));
    await act(async () => screen.getByRole('link', { name: 'Open document rice' }).click());
    expect(path()).toBe('/docs/rice');
  });

  test('shows and removes links as values change', async () => {
    await draw({ main: 'ric' }, { others: OTHERS });
    await type('main', 'rice');
    await waitFor(() => expect(links()).toEqual(['/docs/rice']));
    await type('main', 'rices');
    expect(links()).toEqual([]);
  });
});

describe('the link to a field', () => {
  const copied = async (field: string, doc: unknown) => {
    const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue(undefined);
    await draw(doc);
    await chooseFor(field, 'Copy link to this field');
    await screen.findByText('Link copied.');
    const url = new URL(String(write.mock.calls[0]?.[0]));
    return [url.pathname, url.searchParams.get('field')];
  };

  test.each([
    ['a & b', { 'a & b': 1 }, 'a & b'],
    ['at › 0', { at: [1] }, '["at",0]'],
    ['[0]', { '[0]': 1 }, '["[0]"]'],
  ])('copies the address of %s', async (field, doc, parameter) => {
    expect(await copied(field, doc)).toEqual(['/here', parameter]);
  });

  test('says that the browser didn’t allow the copy', async () => {
    vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('not allowed'));
    await draw({ a: 1 });
    await chooseFor('a', 'Copy link to this field');
    expect(await screen.findByText('Couldn’t copy the link because the browser blocked it.')).toBeDefined();
  });

  test.each<['tree' | 'form', string, string]>([
    ['form', 'b', '["b"]'],
    ['tree', 'b', '["b"]'],
    ['form', '["at",1]', '["at",1]'],
    ['tree', '["at"]', '["at"]'],
    ['form', '"]', '["\\"]"]'],
  ])('focuses the field in the %s for the address %j', async (view, field, key) => {
    await draw({ a: 1, b: 2, at: [1, 2], '"]': 3 }, { view, field });
    const { dataset } = document.activeElement as HTMLElement;
    expect(dataset['field'] ?? dataset['node']).toBe(key);
  });

  test.each(['gone', '["at",7]', '[{]', ''])('focuses nothing for the address %j', async (field) => {
    await draw({ a: 1, at: [1] }, { field });
    expect(document.activeElement).toBe(document.body);
  });
});

describe('a document with many fields', () => {
  const many = (length: number) => Object.fromEntries(Array.from({ length }, (_, n) => [`f${n}`, n]));
  const inputs = () => document.querySelectorAll('[data-field]').length;
  const add = (where: string) => screen.queryByRole('button', { name: where });

  test('shows 100 of them at first, and 100 more on demand', async () => {
    await draw(many(5000));
    expect([inputs(), add('Add a field')]).toEqual([100, null]);
    await press('Show 100 of 4,900 more fields');
    expect(inputs()).toBe(200);
    expect(screen.getByRole('button', { name: 'Show 100 of 4,800 more fields' })).toBeDefined();
  });

  test('counts the values of lists and objects, and adds to groups that are shown whole', async () => {
    await draw({ a: Array(90).fill(1), b: Array(20).fill(2), c: { d: 3 } });
    // The names of the lists take two of the hundred rows.
    expect([inputs(), add('Add a value to a') !== null, add('Add a value to b')]).toEqual([98, true, null]);
    await press('Show 14 of 14 more fields');
    expect([inputs(), add('Add a value to b') !== null, add('Add a field') !== null]).toEqual([
      111,
      true,
      true,
    ]);
    expect(screen.queryByText(/more fields/)).toBeNull();
  });

  test('edits a field that is shown later, and keeps the others', async () => {
    const { json } = await draw({ ...many(103), f101: 'x' });
    await press('Show 3 of 3 more fields');
    await type('f101', 'y');
    expect(json()).toEqual({ ...many(103), f101: 'y' });
  });

  test('shows the field of the address, wherever it is', async () => {
    await draw(many(150), { field: 'f121' });
    expect([inputs(), (document.activeElement as HTMLElement).dataset['field']]).toEqual([122, '["f121"]']);
  });
});

describe('a document without a form', () => {
  test.each(['{', '[1]', '', '{"a": 1,}'])('says that the text %j must be corrected', async (text) => {
    await draw(undefined, { text });
    expect(screen.getByText(/^The text of this document isn’t valid JSON\./)).toBeDefined();
  });

  test('says that a text is too long', async () => {
    const { live } = await draw({ a: 'x'.repeat(256 * 1024) });
    expect(screen.getByText(/^This document is too long for a tree or a form\./)).toBeDefined();
    await act(async () => live.typed('{"a": 1}'));
    expect(input('a').value).toBe('1');
  });
});
