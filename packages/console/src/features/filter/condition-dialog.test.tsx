import { act, fireEvent, screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { ConditionDialog } from './condition-dialog.tsx';
import type { Chip, Test } from './filter.ts';

withPages();

async function dialog(chip?: Chip) {
  const added: unknown[] = [];
  let closed = 0;
  const Page = () => (
    <ConditionDialog
      known={['_id', 'litres', 'price'].map((path) => ({ path, detail: '', values: [] }))}
      chip={chip}
      onSave={(filter) => void added.push(filter)}
      onClose={() => (closed += 1)}
    />
  );
  await drawPages([{ path: '/', Component: Page }], '/');
  const choose = (name: string, value: string) =>
    act(async () => void fireEvent.change(screen.getByLabelText(name), { target: { value } }));
  const press = (name: string) => act(async () => screen.getByRole('button', { name }).click());
  return { added, choose, press, closed: () => closed };
}

const options = (name: string) =>
  [...screen.getByLabelText<HTMLSelectElement>(name).options].map(({ value }) => value);

describe('adding a condition', () => {
  test('offers the fields of the documents, and the id last', async () => {
    await dialog();
    expect(options('Field')).toEqual(['litres', 'price', '_id']);
  });

  test('adds the chosen condition, and closes', async () => {
    const { added, choose, press, closed } = await dialog();
    await choose('Field', 'price');
    await choose('Condition', 'at-least');
    await choose('Value', '10');
    await press('Add condition');
    expect(added).toEqual([{ kind: 'test', path: 'price', test: 'at-least', value: 10 }]);
    expect(closed()).toBe(1);
  });

  test('adds the condition on Enter', async () => {
    const { added, choose } = await dialog();
    await choose('Value', 'milk');
    const form = screen.getByLabelText<HTMLInputElement>('Value').form as HTMLFormElement;
    await act(async () => void fireEvent.submit(form));
    expect(added).toEqual([{ kind: 'test', path: 'litres', test: 'contains', value: 'milk' }]);
  });

  test.each(['exists', 'missing'])('asks for no value with "%s", and drops a typed value', async (kind) => {
    const { added, choose, press } = await dialog();
    await choose('Value', 'typed before');
    await choose('Condition', kind);
    expect(screen.queryByLabelText('Value')).toBeNull();
    await press('Add condition');
    expect(added).toEqual([{ kind: 'test', path: 'litres', test: kind }]);
  });

  test.each([
    ['12', 'Compared as a number.'],
    ['true', 'Compared as true or false.'],
    ['null', 'Compared as null.'],
    ['[1]', 'Compared as a list.'],
    ['{"a": 1}', 'Compared as an object.'],
    ['twelve', 'Compared as text. To compare a number as text, put it in "quotes".'],
    ['"12"', 'Compared as text. To compare a number as text, put it in "quotes".'],
  ])('says how it compares %s', async (value, hint) => {
    const { choose } = await dialog();
    await choose('Condition', 'equals');
    await choose('Value', value);
    expect(screen.getByText(hint)).toBeDefined();
  });

  test('adds nothing on Cancel', async () => {
    const { added, choose, press, closed } = await dialog();
    await choose('Value', 'milk');
    await press('Cancel');
    expect([added, closed()]).toEqual([[], 1]);
  });

  test.each<[string, string, unknown]>([
    ['in', 'a, 5,"x"', ['a', 5, 'x']],
    ['in', '["a,b"]', ['a,b']],
    ['starts', '5', '5'],
    ['matches', '^v[0-9]+$', '^v[0-9]+$'],
  ])('reads the value of "%s" %s', async (kind, text, value) => {
    const { added, choose, press } = await dialog();
    await choose('Condition', kind);
    await choose('Value', text);
    await press('Add condition');
    expect(added).toEqual([{ kind: 'test', path: 'litres', test: kind, value }]);
  });

  test.each([
    ['matches', '(', /Unterminated group/],
    ['matches', '(a)\\1', /not supported/],
    ['in', ' ', /at least one value/],
  ])('says why the value of "%s" can’t be %s', async (kind, text, problem) => {
    const { added, choose, press } = await dialog();
    await choose('Condition', kind);
    await choose('Value', text);
    await press('Add condition');
    expect(screen.getByText(problem)).toBeDefined();
    expect(added).toEqual([]);
  });

  test('asks for a type', async () => {
    const { added, choose, press } = await dialog();
    await choose('Condition', 'not type');
    await choose('Type', 'array');
    await press('Add condition');
    const of = { kind: 'test', path: 'litres', test: 'type', value: 'array' };
    expect(added).toEqual([{ kind: 'not', of }]);
  });
});

describe('editing a condition', () => {
  test('shows it, and saves it unchanged', async () => {
    const condition = { kind: 'test', path: 'place.city', test: 'equals', value: '7' } as const;
    const { added, press } = await dialog({ condition, isNot: false });
    expect(options('Field')).toEqual(['place.city', 'litres', 'price', '_id']);
    expect(screen.getByLabelText<HTMLInputElement>('Value').value).toBe('"7"');
    await press('Save condition');
    expect(added).toEqual([condition]);
  });

  test.each<[Test, unknown, boolean]>([
    ['contains', 5, false],
    ['contains', null, true],
    ['contains', '"5"', false],
    ['equals', 'true', false],
    ['equals', ' ', false],
    ['equals', '', false],
    ['differs', { a: [1] }, false],
    ['greater', '10', false],
    ['at-most', -1.5, false],
    ['starts', ' "x', true],
    ['in', ['5', 5, 'five'], false],
    ['in', ['a, b', 'c'], true],
    ['in', [' ', ''], false],
    ['in', [[1], { a: 1, b: 2 }], false],
    ['matches', '(?i)^a,b$', true],
    ['type', 'bytes', true],
    ['exists', undefined, false],
  ])('keeps the value of "%s" %j if the user saves without a change', async (name, value, isNot) => {
    const condition = {
      kind: 'test',
      path: 'price',
      test: name,
      ...(value !== undefined && { value }),
    } as const;
    const { added, press } = await dialog({ condition, isNot });
    await press('Save condition');
    expect(added).toEqual([isNot ? { kind: 'not', of: condition } : condition]);
  });

  test('reads the value again once the user changes the test', async () => {
    const condition = { kind: 'test', path: 'price', test: 'contains', value: 5 } as const;
    const { added, choose, press } = await dialog({ condition, isNot: false });
    await choose('Condition', 'starts');
    await press('Save condition');
    expect(added).toEqual([{ kind: 'test', path: 'price', test: 'starts', value: '5' }]);
  });

  test.each([
    ['equals', '9007199254740993'],
    ['less', '[9007199254740993]'],
    ['in', '1, 9007199254740993'],
    ['in', '[1, 9007199254740993]'],
  ])('rejects a number that would be rounded, but not its text: %s %s', async (kind, value) => {
    const { added, choose, press } = await dialog();
    await choose('Condition', kind);
    await choose('Value', value);
    await press('Add condition');
    expect(
      screen.getByText(/^9007199254740993 would become 9007199254740992\. .* in quotes\.$/),
    ).toBeDefined();
    expect(added).toEqual([]);
    await choose('Value', value.replace('9007199254740993', '"9007199254740993"'));
    await press('Add condition');
    expect(JSON.stringify(added)).toContain('"9007199254740993"');
  });

  test.each(['1e999', '[1, -1e999]'])('rejects %s, which JSON can’t contain', async (value) => {
    const { added, choose, press } = await dialog();
    await choose('Condition', 'less');
    await choose('Value', value);
    await press('Add condition');
    expect(screen.getByText(/too large/)).toBeDefined();
    expect(added).toEqual([]);
  });

  test('removes the note about a mistake once the value is right', async () => {
    const { added, choose, press, closed } = await dialog();
    await choose('Condition', 'matches');
    await press('Add condition');
    expect(screen.getByText('Enter a regular expression.')).toBeDefined();
    expect(closed()).toBe(0);
    await choose('Value', 'x+');
    await press('Add condition');
    expect(added).toEqual([{ kind: 'test', path: 'litres', test: 'matches', value: 'x+' }]);
  });
});
