import { act, fireEvent, screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { ConditionDialog } from './condition-dialog.tsx';

withPages();

async function dialog(fields: readonly string[] = ['_id', 'litres', 'price']) {
  const added: unknown[] = [];
  let closed = 0;
  const Page = () => (
    <ConditionDialog
      open
      fields={fields}
      onAdd={(condition) => void added.push(condition)}
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
  test('offers the fields of the documents, without the id', async () => {
    await dialog();
    expect(options('Field')).toEqual(['litres', 'price']);
  });

  test('adds the chosen condition, and closes', async () => {
    const { added, choose, press, closed } = await dialog();
    await choose('Field', 'price');
    await choose('Condition', 'at-least');
    await choose('Value', '10');
    await press('Add condition');
    expect(added).toEqual([{ field: 'price', test: 'at-least', value: '10' }]);
    expect(closed()).toBe(1);
  });

  test('adds the condition on Enter', async () => {
    const { added, choose } = await dialog();
    await choose('Value', 'milk');
    const form = screen.getByLabelText<HTMLInputElement>('Value').form as HTMLFormElement;
    await act(async () => void fireEvent.submit(form));
    expect(added).toEqual([{ field: 'litres', test: 'contains', value: 'milk' }]);
  });

  test.each(['exists', 'missing'])('asks for no value with "%s", and drops a typed value', async (kind) => {
    const { added, choose, press } = await dialog();
    await choose('Value', 'typed before');
    await choose('Condition', kind);
    expect(screen.queryByLabelText('Value')).toBeNull();
    await press('Add condition');
    expect(added).toEqual([{ field: 'litres', test: kind, value: '' }]);
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

  test('clears the value after a condition is added', async () => {
    const { choose, press } = await dialog();
    await choose('Value', 'milk');
    await press('Add condition');
    expect(screen.getByLabelText<HTMLInputElement>('Value').value).toBe('');
  });
});
