import { act, screen, within } from '@testing-library/react';
import type { DocumentChange } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { HOSTILE_NAMES } from '../../../values/hostile-names.fixture.ts';
import { ChangedDocuments } from './changed-documents.tsx';
import { changedFields } from './field-summary.ts';

withPages();

const change = (id: string, before: object | undefined, after: object | undefined) =>
  ({
    id,
    ...(before && { before: { _id: id, ...before } }),
    ...(after && { after: { _id: id, ...after } }),
  }) as DocumentChange;

const draw = (...changes: DocumentChange[]) =>
  drawPages([{ path: '/', element: <ChangedDocuments changes={changes} docsPath="/docs" /> }], '/');

const lines = () => screen.getAllByRole('listitem').map(({ textContent }) => textContent);

describe('the documents of a change', () => {
  test('shows the changed fields of each with both values', async () => {
    await draw(
      change('aaa', { name: 'Ghotuo', speakers: 9 }, { name: 'X0', speakers: 9 }),
      change('aab', { name: 'Ari', old: true }, { name: 'Ari', added: [1] }),
    );
    expect(lines()).toEqual(['X0aaanameGhotuoX0', 'Ariaabadded[1]oldtrueremoved']);
    const [first] = screen.getAllByRole('listitem');
    expect(first?.querySelector('del')?.textContent).toBe('Ghotuo');
    expect(first?.querySelector('ins')?.textContent).toBe('X0');
  });

  test('says which documents were created and deleted', async () => {
    await draw(change('new', undefined, { name: 'New' }), change('gone', { name: 'Gone' }, undefined));
    expect(lines()).toEqual(['Newnewcreated', 'Gonegonedeleted']);
  });

  test('leads to each document', async () => {
    await draw(change('a/b', undefined, { title: 'Milk' }), change('new', undefined, {}));
    expect(screen.getAllByRole('link').map((one) => [one.textContent, one.getAttribute('href')])).toEqual([
      ['Milk', '/docs/a%2Fb'],
      ['new', '/docs/~new'],
    ]);
  });

  test('shows four fields at most, and counts the others', async () => {
    const many = (value: number) =>
      Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`f${at}`, value]));
    await draw(change('a', many(1), many(2)));
    expect(lines()[0]).toBe('af012f112f212f312and 5 more');
  });

  test('shows 20 documents first, and further ones on request', async () => {
    await draw(...Array.from({ length: 25 }, (_, at) => change(`d${at}`, undefined, {})));
    expect(lines()).toHaveLength(20);
    await act(async () => screen.getByRole('button', { name: 'Show more, 5 left' }).click());
    expect(lines()).toHaveLength(25);
    expect(screen.queryByRole('button')).toBe(null);
  });

  test('escapes ids that look like other ids', async () => {
    await draw(change('a\u202eb', undefined, { name: 'Milk' }));
    expect(screen.getByRole('link').title).toBe('"a\\u202eb"');
  });

  test('keeps values of different directions apart', async () => {
    await draw(change('ara', { autonym: 'عربي' }, { autonym: 'العربية' }));
    const [line] = screen.getAllByRole('listitem');
    expect([...(line as HTMLElement).querySelectorAll('bdi')].map(({ textContent }) => textContent)).toEqual([
      'عربي',
      'العربية',
    ]);
    expect(within(line as HTMLElement).getByLabelText('is now')).toBeDefined();
  });
});

describe('the changed fields of a document', () => {
  test('follows the order of the later document, removed ones last', () => {
    expect(
      changedFields(change('a', { x: 1, y: 1, z: 1 }, { z: 2, w: 1, y: 1 })).map(({ field }) => field),
    ).toEqual(['z', 'w', 'x']);
  });

  test('returns texts of values, and undefined without a value', () => {
    expect(changedFields(change('a', { x: 'long '.repeat(20), y: null }, { y: [1], w: '' }))).toEqual([
      { field: 'y', before: 'null', after: '[1]' },
      { field: 'w', before: undefined, after: '' },
      { field: 'x', before: expect.stringMatching(/^(long ){6}l?…$/), after: undefined },
    ]);
  });

  test('omits the id, and equal values', () => {
    expect(changedFields(change('a', { x: { y: [1] } }, { x: { y: [1] } }))).toEqual([]);
  });

  test.each(HOSTILE_NAMES)('contains a field named %j, also if only one side has it', (name) => {
    const doc = (value: number) => Object.fromEntries([[name, value]]);
    expect(changedFields(change('a', doc(1), doc(2)))).toEqual([{ field: name, before: '1', after: '2' }]);
    expect(changedFields(change('a', {}, doc(2)))).toEqual([{ field: name, before: undefined, after: '2' }]);
    expect(changedFields(change('a', doc(1), {}))).toEqual([{ field: name, before: '1', after: undefined }]);
  });
});
