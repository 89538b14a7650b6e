import { FixpointError } from '@fixpoint/protocol';
import { act, screen, within } from '@testing-library/react';
import type { Database, DocumentConflicts } from 'fixpoint';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Writing, WritingContext } from '../../../local/can-write.ts';
import { drawPages, type Waiting, waiting, withPages } from '../../../ui/pages.fixture.tsx';
import { forgetSteps, undoStackOf } from '../../../undo/undo-stack.ts';
import { type People, withDeviceNames } from '../../../values/who-wrote.ts';
import { Conflict } from './conflict-panel.tsx';
import { useConflict } from './use-conflict.ts';

withPages();
afterEach(() => forgetSteps('pantry'));

type Version = DocumentConflicts['winner'];

const version = (event: string, litres: number | undefined, more: Partial<Version> = {}): Version =>
  ({
    event,
    value: litres === undefined ? undefined : { _id: 'milk', litres },
    concurrent: true,
    ...more,
  }) as Version;
const BOTH = { winner: version('event-winner', 1), losers: [version('event-loser1', 2)] };

/** Renders the conflict of a document, if it has one. */
function ConflictPanel({ database, people }: { database: Database; people: People | undefined }) {
  const conflicts = useConflict(database, 'milk');
  if (conflicts === undefined) return null;
  return <Conflict {...{ database, people, conflicts }} id="milk" mergePath="?merge=" />;
}

/** Renders the panel for these conflicts of a document. The test decides when a write is stored. */
async function draw(conflicts: DocumentConflicts | undefined, writing: Writing = 'allowed', people?: People) {
  const writes: unknown[] = [];
  const stored: Waiting<unknown>[] = [];
  const listeners = new Set<() => void>();
  const write = (what: unknown) => {
    writes.push(what);
    const one = waiting<unknown>();
    stored.push(one);
    return one.promise.then((problem) => {
      if (problem instanceof Error) throw problem;
    });
  };
  let now = conflicts;
  const transaction = (work: { writes: unknown[] }) => ({
    get: async () => now?.winner.value,
    put: (doc: unknown) => void work.writes.push(doc),
    del: (id: string) => void work.writes.push({ deleted: id }),
  });
  const database = {
    name: 'pantry',
    head: async () => ['head'],
    conflicts: async () => now,
    transact: async (how: (transaction: unknown) => Promise<unknown>) => {
      const work = { writes: [] as unknown[] };
      const result = await how(transaction(work));
      for (const one of work.writes) await write(one);
      return result;
    },
    device: async () => 'own',
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as Database;
  const element = (
    <WritingContext value={writing}>
      <ConflictPanel {...{ database, people }} />
    </WritingContext>
  );
  await drawPages([{ path: '/', element }], '/');
  return {
    writes,
    stored,
    /** Changes the conflict before the page knows. */
    change: (next: DocumentConflicts) => {
      now = next;
    },
    become: async (next: DocumentConflicts | undefined) => {
      now = next;
      await act(async () => {
        for (const listener of listeners) listener();
      });
    },
  };
}

const panel = () => screen.queryByRole('region', { name: 'Conflict' });
const button = (name: string, at = 0) =>
  screen.getAllByRole<HTMLButtonElement>('button', { name })[at] as HTMLButtonElement;
const press = (name: string, at = 0) => act(async () => button(name, at).click());

describe('the panel of a conflict', () => {
  test('is absent for a document without conflicts, and appears with one', async () => {
    const { become } = await draw(undefined);
    expect(panel()).toBe(null);
    await become(BOTH);
    expect(panel()).not.toBe(null);
  });

  test('counts the devices, and shows each lost version next to the winning one', async () => {
    await draw({ ...BOTH, losers: [version('event-loser1', 2), version('event-loser2', 3)] });
    expect(screen.getByText(/This document was changed on 3 devices at the same time/)).toBeDefined();
    const tables = screen.getAllByRole('table');
    expect(
      tables.map((table) =>
        within(table)
          .getAllByRole('columnheader')
          .map((one) => one.textContent),
      ),
    ).toEqual([
      ['-Shown now · t-winner', '+Written elsewhere · t-loser1'],
      ['-Shown now · t-winner', '+Written elsewhere · t-loser2'],
    ]);
  });

  test('names who wrote each version, and when', async () => {
    const by = (account: string) => ({ received: { atMs: Date.now() - 120_000, account } });
    const { winner } = BOTH;
    const losers = [{ ...version('event-loser1', 2), ...by('u2'), device: '0123456789' }];
    const people = new Map([['u1', { name: 'Ada', email: undefined }]]);
    await draw({ winner: { ...winner, ...by('u1') }, losers }, 'allowed', people);
    expect(screen.getByText('Shown now · Ada, 2 minutes ago')).toBeDefined();
    expect(screen.getByText('Written elsewhere · Account u2 on device 012345, 2 minutes ago')).toBeDefined();
  });

  test('names devices as the user does', async () => {
    const time = Date.now() - 120_000;
    const losers = [{ ...version('event-loser1', 2), time, device: '0123456789' }];
    const people = withDeviceNames(new Map(), new Map([['0123456789', 'Old phone']]));
    await draw({ ...BOTH, losers }, 'allowed', people);
    expect(screen.getByText('Written elsewhere · Old phone, 2 minutes ago')).toBeDefined();
  });

  test('says that the document was deleted elsewhere', async () => {
    await draw({ ...BOTH, losers: [version('event-loser1', undefined)] });
    expect(screen.getByText('Deleted elsewhere · t-loser1')).toBeDefined();
  });

  test('writes the version that the user chooses, with a confirmation', async () => {
    const { writes, stored } = await draw(BOTH);
    await press('Use this version');
    expect(writes).toEqual([{ _id: 'milk', litres: 2 }]);
    await stored[0]?.come(undefined);
    expect(undoStackOf('pantry').current().news).toMatch(
      /^Resolved the conflict\. Undo .* doesn’t bring the conflict back/,
    );
  });

  test('writes the shown version again when the user keeps it', async () => {
    const { writes } = await draw(BOTH);
    await press('Keep the version shown now');
    expect(writes).toEqual([{ _id: 'milk', litres: 1 }]);
  });

  test('deletes the document when the user chooses a version that deleted it', async () => {
    const { writes } = await draw({ ...BOTH, losers: [version('event-loser1', undefined)] });
    await press('Use this version');
    expect(writes).toEqual([{ deleted: 'milk' }]);
  });

  test('says who deleted and who changed the document if the deletion won, and can bring it back', async () => {
    const by = (account: string) => ({ received: { atMs: Date.now() - 120_000, account } });
    const people = new Map([
      ['u1', { name: 'Ada', email: undefined }],
      ['u2', { name: 'Grace', email: undefined }],
    ]);
    const winner = version('event-winner', undefined, by('u1'));
    const losers = [version('event-loser1', 2, by('u2'))];
    const { writes } = await draw({ winner, losers }, 'allowed', people);
    expect(panel()?.textContent).toContain(
      'Ada deleted this document, and Grace changed it at the same time. All devices show it as deleted. The other version is kept until you choose.',
    );
    expect(screen.getByText('Deleted · Ada, 2 minutes ago')).toBeDefined();
    await press('Bring back this version');
    expect(writes).toEqual([{ _id: 'milk', litres: 2 }]);
  });

  test('keeps a deletion that won, of which nobody knows the author', async () => {
    const losers = [version('event-loser1', 2), version('event-loser2', 3)];
    const { writes } = await draw({ winner: version('event-winner', undefined), losers });
    expect(panel()?.textContent).toMatch(
      /^Somebody deleted this document, and somebody changed it .* The other versions are kept/,
    );
    await press('Keep the deletion');
    expect(writes).toEqual([{ deleted: 'milk' }]);
  });

  test('names devices in lower case within a sentence, and names no other deletion as a change', async () => {
    const losers = [
      version('event-loser1', 2, { device: 'own' }),
      version('event-loser2', 3, { device: '0123456789' }),
      version('event-loser3', undefined, { device: '9876543210' }),
    ];
    const winner = version('event-winner', undefined, { device: 'own' });
    const { writes } = await draw({ winner, losers });
    await expect
      .poll(() => panel()?.textContent)
      .toMatch(
        /^This device deleted this document, and this device and device 012345 changed it at .* The other versions are/,
      );
    expect(screen.getAllByRole('button', { name: 'Bring back this version' })).toHaveLength(2);
    expect(screen.getAllByRole('table')).toHaveLength(2);
    await press('Bring back this version', 1);
    expect(writes).toEqual([{ _id: 'milk', litres: 3 }]);
  });

  test('counts the devices if all of them deleted the document', async () => {
    const losers = [version('event-loser1', undefined)];
    const { writes } = await draw({ winner: version('event-winner', undefined), losers });
    expect(panel()?.textContent).toMatch(/^This document was deleted on 2 devices at the same time\./);
    expect(screen.queryByRole('button', { name: 'Bring back this version' })).toBeNull();
    await press('Keep the deletion');
    expect(writes).toEqual([{ deleted: 'milk' }]);
  });

  test('accepts no second choice while the first one is being stored', async () => {
    const { stored } = await draw(BOTH);
    await press('Use this version');
    expect([button('Use this version').disabled, button('Keep the version shown now').disabled]).toEqual([
      true,
      true,
    ]);
    await stored[0]?.come(undefined);
    expect(button('Use this version').disabled).toBe(false);
  });

  test('reports a choice that couldn’t be stored, and lets the user try again', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    const { stored } = await draw(BOTH);
    await press('Use this version');
    await stored[0]?.come(new FixpointError('STORE_FULL'));
    expect(screen.getByRole('alert').textContent).toMatch(/Couldn’t resolve the conflict: .*storage is full/);
    expect(button('Use this version').disabled).toBe(false);
    expect(undoStackOf('pantry').current().done).toEqual([]);
  });

  test('never writes a version whose content is no longer on the device', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    const lost = version('event-loser1', undefined, { isDropped: true });
    const { writes } = await draw({ ...BOTH, losers: [lost] });
    await press('Use this version');
    expect(writes).toEqual([]);
    expect(screen.getByRole('alert').textContent).toMatch(
      /content of this version is no longer on this device/,
    );
  });

  test('never writes a version that can’t be read, as if it were a deletion', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    const lost = (event: string) => version(event, undefined, { isUnreadable: true });
    const { writes, become } = await draw({ ...BOTH, losers: [lost('event-loser1')] });
    expect(screen.getByText(/^Written elsewhere · .* · content can’t be read$/)).toBeDefined();
    await press('Use this version');
    await become({ ...BOTH, winner: lost('event-winner') });
    await press('Keep the version shown now');
    expect(writes).toEqual([]);
    expect(screen.getByRole('alert').textContent).toMatch(/content of this version is missing or damaged/);
  });

  test.each(['no right', 'locked'] as const)(
    'shows both versions, and no choice, to users who can’t write: %s',
    async (why) => {
      await draw(BOTH, why);
      expect(screen.getByRole('table')).toBeDefined();
      expect([screen.queryByRole('button'), screen.queryByRole('link')]).toEqual([null, null]);
    },
  );

  test('leads to the merge, unless a version is a deletion', async () => {
    const { become } = await draw(BOTH);
    expect(screen.getByRole('link', { name: 'Merge...' }).getAttribute('href')).toBe('/?merge=');
    await become({ ...BOTH, losers: [version('event-loser1', undefined)] });
    expect(screen.queryByRole('link')).toBe(null);
  });

  test('writes nothing if somebody wrote the document since the versions were shown', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    const { writes, change } = await draw(BOTH);
    change({ ...BOTH, losers: [version('event-loser3', 3)] });
    await press('Use this version');
    expect(writes).toEqual([]);
    expect(screen.getByRole('alert').textContent).toMatch(/somebody changed this document in the meantime/);
  });

  test('disappears when the conflict was resolved elsewhere', async () => {
    const { become } = await draw(BOTH);
    expect(panel()).not.toBe(null);
    await become(undefined);
    expect(panel()).toBe(null);
  });
});
