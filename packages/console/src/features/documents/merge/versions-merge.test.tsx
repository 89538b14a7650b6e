import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import type { DocumentConflicts, DocumentVersion } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { drawPages, pageCalled, withPages } from '../../../ui/pages.fixture.tsx';
import { forgetSteps, undoStackOf } from '../../../undo/undo-stack.ts';
import type { People } from '../../../values/who-wrote.ts';
import { VersionsMerge } from './versions-merge.tsx';

withPages();
afterEach(() => forgetSteps('pantry'));

const version = (event: string, value: object, device: string) =>
  ({
    event,
    value: { _id: 'milk', ...value },
    device,
    concurrent: true,
    parents: [],
  }) as unknown as DocumentVersion;
const winner = version('w', { litres: 2, shelf: 'A', note: 'one' }, 'theirs');
const own = version('o', { litres: 3, shelf: 'A', note: 'one two' }, 'own');
const BASE = { _id: 'milk', litres: 1, shelf: 'A', note: 'one' };

async function view(conflict: DocumentConflicts, people?: People, base: object = BASE) {
  const written: unknown[] = [];
  const onDone = vi.fn();
  let now: DocumentConflicts | undefined = conflict;
  const database = {
    name: 'pantry',
    subscribe: () => () => undefined,
    device: async () => 'own',
    events: async () => [
      ...[now?.winner, ...(now?.losers ?? [])].map((one) => ({ event: one?.event, parents: ['b'] })),
      { event: 'b', parents: [], time: Date.UTC(2026, 10, 20, 12) },
    ],
    at: () => ({ allDocs: async () => ({ rows: [{ key: 'milk', value: base }] }) }),
    conflicts: async () => now,
    head: async () => ['head'],
    transact: async (how: (transaction: unknown) => Promise<unknown>) =>
      how({ get: async () => now?.winner.value, put: (doc: unknown) => void written.push(doc) }),
  } as unknown as BridgedDatabase;
  const page = {};
  let show: (what: DocumentConflicts | undefined) => void = () => undefined;
  function Page() {
    const [shown, setShown] = useState<DocumentConflicts | undefined>(conflict);
    show = setShown;
    return shown === undefined ? (
      <p>Not merging</p>
    ) : (
      <VersionsMerge {...{ database, page, onDone }} conflict={shown} id="milk" people={people} />
    );
  }
  const pages = await drawPages(
    [
      { path: '/', Component: Page },
      { path: '/other', Component: pageCalled('Other') },
    ],
    '/',
  );
  await screen.findByRole('region', { name: 'Merge' });
  return {
    ...pages,
    written,
    onDone,
    /** Changes the conflict before the page knows. */
    become: (next: DocumentConflicts | undefined) => (now = next),
    /** Changes the conflict; undefined leaves the merge. */
    show: async (next: DocumentConflicts | undefined) => {
      now = next ?? now;
      await act(async () => show(next));
    },
  };
}

const chosen = () =>
  screen
    .queryAllByRole<HTMLInputElement>('radio')
    .filter(({ checked }) => checked)
    .map((one) => one.closest('label')?.textContent);
const change = (name: string, value: string) =>
  act(async () => void fireEvent.change(screen.getByLabelText(name), { target: { value } }));

const click = async (role: 'radio' | 'button', name: string | RegExp) => {
  const found = await screen.findByRole(role, { name });
  await act(async () => found.click());
};

describe('merging versions of several devices', () => {
  test('shows the version of this device as mine, and writes the merged document', async () => {
    const { written, onDone } = await view({ winner, losers: [own] });
    expect(screen.getAllByRole('group')[0]?.textContent).toMatch(/^litres/);
    await click('radio', 'My version 3');
    await click('button', 'Use the merged document');
    await waitFor(() => expect(onDone).toHaveBeenCalled());
    expect(written).toEqual([{ _id: 'milk', litres: 3, shelf: 'A', note: 'one two' }]);
    expect(undoStackOf('pantry').current().news).toMatch(
      /^Merged 2 versions of A\. Undo shows the document as before, but doesn’t bring the conflict back/,
    );
  });

  test('draws when both versions parted', async () => {
    await view({ winner, losers: [own] });
    const texts = [...document.querySelectorAll('svg text')].map(({ textContent }) => textContent);
    expect(texts[0]).toBe('Nov 20');
    expect(texts).toHaveLength(4);
  });

  test('writes nothing if somebody wrote the document in the meantime', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    const { written, onDone, become } = await view({ winner, losers: [own] });
    await click('radio', 'My version 3');
    become({ winner, losers: [version('x', { litres: 9 }, 'theirs')] });
    await click('button', 'Use the merged document');
    expect((await screen.findByRole('alert')).textContent).toMatch(
      /somebody changed this document in the meantime/,
    );
    expect([written, onDone.mock.calls]).toEqual([[], []]);
  });

  test('merges more than two versions one after the other, and writes only after the last', async () => {
    const third = version('t', { litres: 5, shelf: 'A', note: 'one' }, 'third');
    const { written } = await view({ winner, losers: [own, third] });
    await click('radio', 'The other version 2');
    await click('button', 'Next version (1 of 2)');
    await screen.findAllByText(/^Merged so far/);
    expect(written).toEqual([]);
    await click('radio', 'The other version 5');
    await click('button', 'Use the merged document');
    await waitFor(() => expect(written).toEqual([{ _id: 'milk', litres: 5, shelf: 'A', note: 'one two' }]));
  });

  test('shows the version of all devices as shown now if this device wrote none', async () => {
    const other = version('x', { litres: 9, shelf: 'A', note: 'one' }, 'another');
    await view({ winner, losers: [other] });
    expect(screen.getAllByText(/^Shown now/).length).toBeGreaterThan(0);
    expect(screen.getByRole('radio', { name: 'Shown now 2' })).toBeDefined();
    expect(screen.getByRole('button', { name: 'Use this' })).toBeDefined();
    expect(screen.getByRole('button', { name: 'Use the other' })).toBeDefined();
  });

  test('keeps the files of all versions', async () => {
    const file = (cid: string) => ({ cid, size: 1, type: '', file: () => undefined });
    const [a, b] = [file('a'), file('b')];
    const { written } = await view({
      winner: version('w', { ...BASE, _files: { 'p.png': a } }, 'theirs'),
      losers: [version('o', { ...BASE, litres: 5, _files: { 'p.png': b, 'q.png': a } }, 'own')],
    });
    expect(screen.queryAllByRole('radio')).toEqual([]);
    await click('button', 'Use the merged document');
    await waitFor(() => expect(written).toHaveLength(1));
    const [doc] = written as { litres: number; _files: Record<string, { cid: string }> }[];
    expect(doc?.litres).toBe(5);
    expect(Object.entries(doc?._files ?? {}).map(([name, { cid }]) => [name, cid])).toEqual([
      ['p.png', 'b'],
      ['q.png', 'a'],
      ['p (2).png', 'a'],
    ]);
  });

  test('keeps files although another version has an empty map of files', async () => {
    const file = { cid: 'a', size: 1, type: '', file: () => undefined };
    const { written } = await view({
      winner: version('w', { ...BASE, _files: {} }, 'theirs'),
      losers: [version('o', { ...BASE, litres: 5, _files: { 'p.png': file } }, 'own')],
    });
    await click('button', 'Use the merged document');
    await waitFor(() => expect(written).toHaveLength(1));
    const [doc] = written as { _files: object }[];
    expect(Object.keys(doc?._files ?? {})).toEqual(['p.png']);
  });

  test('names people, and the devices of people', async () => {
    const by = (account: string) => ({ received: { atMs: Date.now() - 120_000, account } });
    await view(
      { winner: { ...winner, ...by('u1') }, losers: [{ ...own, ...by('u2') }] },
      new Map([
        ['u1', { name: 'Grace Hopper', email: undefined }],
        ['u2', { name: 'Ada', email: undefined }],
      ]),
    );
    expect(screen.getByText('Ada on this device, 2 minutes ago')).toBeDefined();
    expect(screen.getByText('Grace Hopper, 2 minutes ago')).toBeDefined();
    expect(screen.getByRole('button', { name: 'Use Grace’s' })).toBeDefined();
  });

  test('goes back without writing', async () => {
    const { written, onDone } = await view({ winner, losers: [own] });
    await click('button', 'Not now');
    expect([written, onDone.mock.calls.length]).toEqual([[], 1]);
  });
});

describe('a version that another device writes during the merge', () => {
  test('keeps the choices, and names the fields that changed', async () => {
    const { show, written } = await view({ winner, losers: [own] });
    await click('radio', 'My version 3');
    await show({ winner: version('w2', { litres: 2, shelf: 'B', note: 'one' }, 'theirs'), losers: [own] });
    expect((await screen.findByRole('alert')).textContent).toBe(
      'Somebody changed this document again while you were choosing: shelf.',
    );
    expect(chosen()).toEqual(['My version 3']);
    await click('button', 'Use the merged document');
    await waitFor(() => expect(written).toEqual([{ _id: 'milk', litres: 3, shelf: 'B', note: 'one two' }]));
  });

  test('asks again for the fields that changed', async () => {
    const { show } = await view({ winner, losers: [own] });
    await click('radio', 'My version 3');
    await show({ winner: version('w2', { litres: 7, shelf: 'A', note: 'one' }, 'theirs'), losers: [own] });
    expect((await screen.findByRole('alert')).textContent).toMatch(/: litres\. Choose again for litres\.$/);
    expect(screen.getByText('Changed, choose again')).toBeDefined();
    expect([
      chosen(),
      screen.getByRole<HTMLButtonElement>('button', { name: /^Use the m/ }).disabled,
    ]).toEqual([[], true]);
  });

  test('keeps an earlier step if its versions are the same', async () => {
    const third = version('t', { litres: 5, shelf: 'A', note: 'one' }, 'third');
    const { show, written } = await view({ winner, losers: [own, third] });
    await click('radio', 'The other version 2');
    await click('button', 'Next version (1 of 2)');
    await screen.findAllByText(/^Merged so far/);
    await show({ winner, losers: [own, version('t2', { litres: 6, shelf: 'A', note: 'one' }, 'third')] });
    await click('radio', 'The other version 6');
    await click('button', 'Use the merged document');
    await waitFor(() => expect(written).toMatchObject([{ litres: 6, note: 'one two' }]));
  });

  test('shows an earlier step again if one of its versions changed, with its other choices', async () => {
    const more = { more: 1 };
    const two = version('w', { ...winner.value, more: 2 }, 'theirs');
    const mine = version('o', { ...own.value, more: 3 }, 'own');
    const third = version('t', { litres: 5, ...more }, 'third');
    const { show } = await view({ winner: two, losers: [mine, third] });
    await click('button', 'Use mine');
    await click('button', 'Next version (1 of 2)');
    await screen.findAllByText(/^Merged so far/);
    await show({ winner: version('w2', { ...two.value, more: 8 }, 'theirs'), losers: [mine, third] });
    await waitFor(() => expect(screen.queryAllByText(/^Merged so far/)).toEqual([]));
    expect(screen.getByRole('alert').textContent).toMatch(/Choose again for more\.$/);
    expect(chosen()).toEqual(['My version 3']);
  });
});

describe('the second step of a merge', () => {
  test('follows the first one for a value that the user decided against, and asks about others', async () => {
    const third = version('t', { litres: 2, shelf: 'C', note: 'one' }, 'third');
    const { written } = await view({
      winner: version('w', { litres: 2, shelf: 'B', note: 'one' }, 'theirs'),
      losers: [own, third],
    });
    await click('radio', 'My version 3');
    await click('button', 'Undo this change of shelf');
    await click('button', 'Next version (1 of 2)');
    await screen.findAllByText(/^Merged so far/);
    // Without the first step, C would win by itself, and litres would be a question again.
    expect(chosen()).toEqual(['Merged so far 3']);
    expect(screen.getAllByText(/^you chose/).map(({ textContent }) => textContent)).toEqual([
      'you chose 3',
      'you chose A',
    ]);
    await click('radio', 'Merged so far A');
    await click('button', 'Use the merged document');
    await waitFor(() => expect(written).toMatchObject([{ litres: 3, shelf: 'A' }]));
  });
});

describe('leaving a merge', () => {
  const question = vi.fn<(text: string) => boolean>(() => false);
  beforeEach(() => {
    question.mockClear();
    vi.stubGlobal('confirm', question);
  });
  afterEach(() => vi.unstubAllGlobals());

  test('asks if the user chose something that isn’t saved', async () => {
    const { go, path } = await view({ winner, losers: [own] });
    await click('radio', 'My version 3');
    await go('/other');
    expect([question.mock.calls, path()]).toEqual([
      [['Your choices in this merge aren’t saved. Leave without saving them?']],
      '/',
    ]);
  });

  test('asks about an earlier step, but not without choices', async () => {
    const third = version('t', { litres: 5, shelf: 'A', note: 'one' }, 'third');
    const { go, path } = await view({ winner, losers: [own, third] });
    await click('button', 'Use mine');
    await click('button', 'Next version (1 of 2)');
    await screen.findAllByText(/^Merged so far/);
    await go('/other');
    expect([question.mock.calls.length, path()]).toEqual([1, '/']);
    cleanup();
    const untouched = await view({ winner, losers: [own] });
    await untouched.go('/other');
    expect([question.mock.calls.length, untouched.path()]).toEqual([1, '/other']);
  });

  test('keeps the choices and the written value while the page is open', async () => {
    const conflict = { winner, losers: [own] };
    const { show } = await view(conflict);
    await click('radio', 'Write it yourself');
    await change('Your own value of litres', '12');
    await change('Your own value of litres', '12,');
    await click('radio', 'My version 3');
    await show(undefined);
    await show(conflict);
    expect(chosen()).toEqual(['My version 3']);
    await click('radio', 'Write it yourself');
    expect(screen.getByLabelText<HTMLTextAreaElement>('Your own value of litres').value).toBe('12,');
    expect(screen.getByLabelText('Merged document as JSON').textContent).toContain('"litres": 12');
  });
});

test('lets the user choose which files to keep', async () => {
  const file = (cid: string) => ({ cid, size: 1, type: 'text/plain', file: () => undefined });
  const { written } = await view({
    winner: version('w', { ...BASE, _files: { 'p.txt': file('a') } }, 'theirs'),
    losers: [version('o', { ...BASE, litres: 5, _files: { 'q.txt': file('b') } }, 'own')],
  });
  const box = screen.getByRole('checkbox', { name: /^p\.txt text\/plain · 1 B\s*, The other/ });
  await act(async () => box.click());
  await click('button', 'Use the merged document');
  await waitFor(() => expect(written).toHaveLength(1));
  const [doc] = written as { _files: object }[];
  expect(Object.keys(doc?._files ?? {})).toEqual(['q.txt']);
});

test('keeps a file that the user ticked in an earlier step', async () => {
  const f = { _files: { 'f.txt': { cid: 'f', size: 1, type: 'text/plain', file: () => undefined } } };
  const { written } = await view(
    {
      winner: version('w', { ...BASE, litres: 5 }, 'theirs'),
      losers: [version('o', { ...BASE, ...f }, 'own'), version('t', BASE, 'third')],
    },
    undefined,
    { ...BASE, ...f },
  );
  const box = () => screen.getByRole<HTMLInputElement>('checkbox', { name: /^f\.txt/ });
  expect(box().checked).toBe(false);
  await act(async () => box().click());
  await click('button', 'Next version (1 of 2)');
  await screen.findAllByText(/^Merged so far/);
  expect(box().checked).toBe(true);
  await click('button', 'Use the merged document');
  await waitFor(() => expect(written).toMatchObject([f]));
});

test('names a file that changed after the user decided about it', async () => {
  const file = (cid: string) => ({ cid, size: 1, type: 'text/plain', file: () => undefined });
  const mine = version('o', { ...BASE, _files: { 'p.txt': file('a') } }, 'own');
  const theirs = { ...BASE, litres: 5 };
  const files = { _files: { 'p.txt': file('b') } };
  const { show } = await view({ winner: version('w', { ...theirs, ...files }, 'theirs'), losers: [mine] });
  await act(async () => screen.getByRole('checkbox', { name: /^p\.txt .*Mine/ }).click());
  await show({ winner: version('w2', theirs, 'theirs'), losers: [mine] });
  expect((await screen.findByRole('alert')).textContent).toBe(
    'Somebody changed this document again while you were choosing: p.txt. Check again whether to keep p.txt.',
  );
});
