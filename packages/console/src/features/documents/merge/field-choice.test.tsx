import { act, fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, test } from 'vitest';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { type Choice, chosenValue } from '../choices/merge-choices.ts';
import type { Difference } from '../choices/merge-fields.ts';
import { FieldChoice } from './field-choice.tsx';

withPages();

const difference = (was: unknown, mine: unknown, theirs: unknown, path = ['note']): Difference => ({
  path,
  was,
  mine,
  theirs,
  by: 'both',
});

/** Renders a field, and returns the value that the user chose last. */
async function draw(one: Difference, first?: Choice) {
  const held: { choice: Choice | undefined } = { choice: first };
  function Page() {
    const [choice, setChoice] = useState(first);
    held.choice = choice;
    return <FieldChoice difference={one} choice={choice} mineLabel="My version" onChoose={setChoice} />;
  }
  await drawPages([{ path: '/', Component: Page }], '/');
  return { value: () => held.choice && chosenValue(one, held.choice), how: () => held.choice?.how };
}

const radio = (name: string | RegExp) => screen.getByRole<HTMLInputElement>('radio', { name });
const choose = (name: string | RegExp) => act(async () => radio(name).click());
const own = () => screen.getByRole<HTMLTextAreaElement>('textbox');
const write = (value: string) => act(async () => void fireEvent.change(own(), { target: { value } }));
const group = () => screen.getByRole('group');

describe('a field that both sides changed', () => {
  test('waits for a choice, and says so', async () => {
    const { value } = await draw(difference('a', 'b', 'c'));
    expect(group().textContent).toContain('Choose one');
    expect(screen.getAllByRole<HTMLInputElement>('radio').map(({ checked }) => checked)).toEqual([
      false,
      false,
      false,
    ]);
    expect(value()).toBe(undefined);
  });

  test('shows the earlier value once a side is chosen', async () => {
    const { value } = await draw(difference(380000000, 411000000, 422000000));
    await choose('The other version 422,000,000');
    expect([value(), group().textContent?.includes('was 380,000,000')]).toEqual([422000000, true]);
    await choose('My version 411,000,000');
    expect(value()).toBe(411000000);
  });

  test('names a field inside of an object by its whole path', async () => {
    await draw(difference(1, 2, 3, ['place', '', ' ']));
    expect(screen.getByRole('heading').textContent).toBe(
      'place › (empty name) › " " changed in both versions',
    );
  });

  test('offers both edits only where they don’t exclude each other', async () => {
    const { value } = await draw(difference('one two', 'ONE two', 'one TWO'));
    await choose('Use both edits');
    expect(value()).toBe('ONE TWO');
    expect(group().textContent).toContain('Both edits: ');
  });

  test('says that a side has no such field', async () => {
    const { value, how } = await draw(difference('a', undefined, 'c'));
    await choose(/^My version Removed ?no field$/);
    expect([value(), how()]).toEqual([undefined, 'mine']);
  });
});

describe('a value that the user writes', () => {
  test('begins with the value chosen before', async () => {
    await draw(difference('one two', 'ONE two', 'one TWO'));
    await choose('Use both edits');
    await choose('Write it yourself');
    expect(own().value).toBe('ONE TWO');
  });

  test('begins with mine if nothing is chosen yet, and with the other value if I removed the field', async () => {
    const { value } = await draw(difference(['a'], ['b'], ['c']));
    await choose('Write it yourself');
    expect([own().value, value()]).toEqual(['[\n  "b"\n]', ['b']]);
  });

  test('begins with the only value that exists', async () => {
    await draw(difference('a', undefined, 'theirs'));
    await choose('Write it yourself');
    expect(own().value).toBe('theirs');
  });

  test.each<[string, unknown]>([
    ['7', 7],
    ['true', true],
    ['null', null],
    ['"text"', 'text'],
    ['{"__proto__": 1}', JSON.parse('{"__proto__": 1}') as unknown],
  ])('takes the JSON %s for a value that isn’t a text', async (typed, expected) => {
    const { value } = await draw(difference(1, 2, 3));
    await choose('Write it yourself');
    await write(typed);
    expect(value()).toEqual(expected);
  });

  test('takes a text as it is typed, also if it is empty or looks like JSON', async () => {
    const { value } = await draw(difference('a', 'b', 'c'));
    await choose('Write it yourself');
    await write('{"a": 1}');
    expect(value()).toBe('{"a": 1}');
    await write('');
    expect(value()).toBe('');
  });

  test('keeps the last valid value while the JSON is unfinished', async () => {
    const { value } = await draw(difference(1, 2, 3));
    await choose('Write it yourself');
    await write('[1,');
    expect([value(), own().getAttribute('aria-invalid')]).toEqual([2, 'true']);
    expect(screen.getByRole('status').textContent).toMatch(/isn’t valid JSON yet/);
    await write('[1]');
    expect([value(), own().getAttribute('aria-invalid'), screen.getByRole('status').textContent]).toEqual([
      [1],
      'false',
      '',
    ]);
  });

  test('has a label for its field', async () => {
    await draw(difference(1, 2, 3, ['constructor']));
    await choose('Write it yourself');
    expect(screen.getByLabelText('Your own value of constructor')).toBe(own());
  });
});
