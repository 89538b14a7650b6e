import { act, screen, waitFor } from '@testing-library/react';
import type { DocumentConflicts, DocumentVersion } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
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

async function view(conflict: DocumentConflicts, people?: People) {
  const written: unknown[] = [];
  const onDone = vi.fn();
  let now: DocumentConflicts | undefined = conflict;
  const events = [
    ...[conflict.winner, ...conflict.losers].map(({ event }) => ({ event, parents: ['b'] })),
    { event: 'b', parents: [] },
  ];
  const database = {
    name: 'pantry',
    subscribe: () => () => undefined,
    device: async () => 'own',
    events: async () => events,
    at: () => ({ allDocs: async () => ({ rows: [{ key: 'milk', value: BASE }] }) }),
    conflicts: async () => now,
    head: async () => ['head'],
    transact: async (how: (transaction: unknown) => Promise<unknown>) =>
      how({ get: async () => now?.winner.value, put: (doc: unknown) => void written.push(doc) }),
  } as unknown as BridgedDatabase;
  const element = <VersionsMerge {...{ database, conflict, onDone }} id="milk" people={people} />;
  await drawPages([{ path: '/', element }], '/');
  await screen.findByRole('region', { name: 'Merge' });
  return { written, onDone, become: (next: DocumentConflicts | undefined) => (now = next) };
}

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
    expect(undoStackOf('pantry').current().news).toBe('Merged 2 versions of A.');
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
