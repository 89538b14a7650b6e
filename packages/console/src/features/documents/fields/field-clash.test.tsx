import { act, screen } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import type { Difference } from '../choices/merge-fields.ts';
import { FieldClash } from './field-clash.tsx';
import { type Clashes, Fields, keyOfPath } from './field-edits.ts';
import type { FieldNode } from './json-tree.ts';

withPages();

const node = (...path: (string | number)[]): FieldNode => ({
  path,
  name: path.at(-1) ?? '',
  kind: 'text',
  text: '',
  children: [],
});
const difference = (path: readonly string[], was: unknown, mine: unknown, theirs: unknown): Difference => ({
  path,
  was,
  mine,
  theirs,
  by: 'both',
});

interface Given {
  readonly person?: string | undefined;
  readonly at?: FieldNode;
}

/** Renders the hint of a field, and returns what the user decides. */
async function draw(one: Difference | undefined, { person = 'Grace Hopper', at }: Given = {}) {
  const decide = vi.fn();
  const clashes: Clashes | undefined = one && {
    person: person === '' ? undefined : person,
    byKey: new Map([[keyOfPath(one.path), one]]),
    decide,
  };
  const context = {
    edits: {} as never,
    canWrite: true,
    linked: new Set<string>(),
    basePath: '/docs',
    clashes,
  };
  const element = (
    <Fields value={context}>
      <FieldClash node={at ?? node(...(one?.path ?? ['name']))} />
    </Fields>
  );
  await drawPages([{ path: '/', element: <main>{element}</main> }], '/');
  return { decide };
}

const text = () => screen.getByRole('main').textContent;
const press = (name: string) => act(async () => screen.getByRole('button', { name }).click());

describe('the hint of a field that somebody else changed, too', () => {
  test('shows the other value, and who wrote it', async () => {
    await draw(difference(['speakers'], 1, 411000000, 422000000));
    expect(text()).toBe('Grace changed it to 422,000,000Keep mineUse Grace’s');
  });

  test('names nobody if nobody is known', async () => {
    await draw(difference(['speakers'], 1, 2, 3), { person: '' });
    expect(text()).toBe('Somebody changed it to 3Keep mineUse theirs');
  });

  test('keeps the own value, or takes the other one', async () => {
    const one = difference(['speakers'], 1, 2, 3);
    const { decide } = await draw(one);
    await press('Keep mine: speakers');
    await press('Use Grace’s: speakers');
    expect(decide.mock.calls).toEqual([
      [one, { how: 'mine' }],
      [one, { how: 'theirs' }],
    ]);
  });

  test('offers both edits of a text if they don’t exclude each other', async () => {
    const one = difference(['notes'], 'one two', 'ONE two', 'one TWO');
    const { decide } = await draw(one);
    expect(text()).toBe('Grace changed another part of this textKeep mineUse both');
    await press('Use both: notes');
    expect(decide).toHaveBeenCalledWith(one, { how: 'both', value: 'ONE TWO' });
  });

  test('offers the other value of a text if both changed the same words', async () => {
    await draw(difference(['notes'], 'one', 'two', 'three'));
    expect(text()).toBe('Grace changed it to threeKeep mineUse Grace’s');
  });

  test('says that the field was removed', async () => {
    const one = difference(['old'], 1, 2, undefined);
    const { decide } = await draw(one);
    expect(text()).toBe('Grace removed this fieldKeep mineRemove it');
    await press('Remove it: old');
    expect(decide).toHaveBeenCalledWith(one, { how: 'theirs' });
  });

  test('names a nested field, and cuts a long value', async () => {
    await draw(difference(['place', '__proto__'], 'a', 'b', 'c'.repeat(500)));
    expect(screen.getByRole('button', { name: 'Keep mine: place › __proto__' })).toBeDefined();
    expect(screen.getByText(`${'c'.repeat(120)}…`)).toBeDefined();
  });

  test('is absent for other fields, and without a conflict', async () => {
    await draw(difference(['a'], 1, 2, 3), { at: node('b') });
    expect(text()).toBe('');
  });

  test('is absent while nobody else changed the document', async () => {
    await draw(undefined);
    expect(text()).toBe('');
  });

  test('doesn’t mistake a list position for a field of this name', async () => {
    await draw(difference(['0'], 1, 2, 3), { at: node(0) });
    expect(text()).toBe('');
  });
});
