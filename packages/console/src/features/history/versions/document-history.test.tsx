import { FixpointError } from '@fixpoint/protocol';
import { act, screen, waitFor, within } from '@testing-library/react';
import type { Database, DocumentConflicts } from 'fixpoint';
import { describe, expect, test, vi } from 'vitest';
import { freshLocal, withEngine } from '../../../engine/engine-here.fixture.ts';
import { type Writing, WritingContext } from '../../../local/can-write.ts';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { UndoBar } from '../../../undo/undo-bar.tsx';
import { beforeConflict, withConflict } from '../conflicts/real-conflict.fixture.ts';
import { type KnownVersion, knownVersions } from '../known-versions.fixture.ts';
import { latestChange } from '../latest-changes.ts';
import { DocumentHistory } from './document-history.tsx';

withPages();
withEngine();

async function draw(database: Database, writing: Writing = 'allowed', toSend?: number) {
  const element = (
    <WritingContext value={writing}>
      <UndoBar database={database} />
      <DocumentHistory database={database} id="milk" toSend={toSend} />
    </WritingContext>
  );
  await drawPages([{ path: '/', element }], '/');
  await press('Show versions');
}
const press = async (name: string) => {
  const found = await screen.findByRole('button', { name });
  await act(async () => found.click());
};
const versions = async () => {
  const list = await screen.findByRole('list');
  return within(list).getAllByRole('listitem');
};
/** Returns the text that says what happened in each version, newest first. */
const happened = async () => (await versions()).map((one) => one.querySelector('button span')?.textContent);
const restores = async () =>
  (await versions()).map(
    (one) =>
      within(one)
        .queryByRole('button', { name: /^(Restore|Delete again)$/ })
        ?.textContent?.trim() ?? '',
  );

async function lifeOfMilk() {
  const database = await freshLocal([{ _id: 'milk', litres: 1 }]);
  await database.put({ _id: 'milk', litres: 2 });
  await database.del('milk');
  await database.put({ _id: 'milk', litres: 3 });
  return database;
}

/** Returns a database that has only these versions of a document. */
const databaseOf = (known: readonly KnownVersion[], more: Partial<Database> = {}): Database =>
  ({
    subscribe: () => () => undefined,
    device: async () => 'own',
    events: async () => [],
    ...knownVersions(known),
    ...more,
  }) as unknown as Database;

/** A version whose content compaction removed. */
const DROPPED: KnownVersion = { isDropped: true, value: undefined } as object;

describe('the history of a document', () => {
  test('says when and on which device each version was written', async () => {
    await draw(databaseOf([{ time: Date.now() - 7_200_000, device: 'own' }, {}]));
    const told = (await versions()).map((one) => one.querySelector('time')?.parentElement?.textContent);
    expect(told).toEqual(['2 hours ago · this device', undefined]);
  });

  test('is read only when the user asks for it', async () => {
    const database = await lifeOfMilk();
    const read = vi.spyOn(database, 'history');
    await drawPages([{ path: '/', element: <DocumentHistory database={database} id="milk" /> }], '/');
    expect(read).not.toHaveBeenCalled();
    await press('Show versions');
    expect(await versions()).toHaveLength(4);
    await press('Hide versions');
    expect(screen.queryByRole('list')).toBe(null);
  });

  test('says what happened in each version, newest first', async () => {
    await draw(await lifeOfMilk());
    expect(await happened()).toEqual(['Created again', 'Deleted', 'litres: 1 → 2', 'Created']);
    const [newest] = await versions();
    expect(within(newest as HTMLElement).getByText('Now')).toBeDefined();
    expect(screen.getAllByText('Now')).toHaveLength(1);
  });

  test('compares a version with the one before it', async () => {
    await draw(await lifeOfMilk());
    const line = (await versions())[2] as HTMLElement;
    const [toggle] = within(line).getAllByRole('button');
    await act(async () => toggle?.click());
    expect(toggle?.getAttribute('aria-expanded')).toBe('true');
    expect(within(line).getByText('"litres": 1', { exact: false }).tagName).toBe('DEL');
    expect(within(line).getByText('"litres": 2', { exact: false }).tagName).toBe('INS');
    await act(async () => toggle?.click());
    expect(within(line).queryByRole('table')).toBe(null);
  });

  test('compares versions that two devices wrote at the same time with the version before both', async () => {
    const { database, seen } = await withConflict();
    const { litres } = seen.winner.value as { litres?: number };
    await database.put({ _id: 'milk', litres: 4 });
    await draw(database);
    const [newest, ...older] = await happened();
    // The last write followed both versions, and replaced the one that was shown.
    expect(newest).toBe(`litres: ${litres} → 4`);
    expect(older.sort()).toEqual(['Created', 'litres: 1 → 2', 'litres: 1 → 3']);
    const marked = (await versions()).map(
      (one) => within(one).queryByText('Written at the same time') !== null,
    );
    expect(marked).toEqual([false, true, true, false]);
    const second = (await versions())[1] as HTMLElement;
    await act(async () => within(second).getAllByRole('button')[0]?.click());
    expect(within(second).getByText('"litres": 1', { exact: false }).tagName).toBe('DEL');
  });

  test('compares the first version with no document', async () => {
    await draw(await lifeOfMilk());
    const first = (await versions()).at(-1) as HTMLElement;
    await act(async () => within(first).getAllByRole('button')[0]?.click());
    expect(within(first).getByText('Before: no document')).toBeDefined();
  });

  test('restores a version, and undoes the restore', async () => {
    const database = await lifeOfMilk();
    await draw(database);
    const oldest = (await versions()).at(-1) as HTMLElement;
    await act(async () => within(oldest).getByRole('button', { name: 'Restore' }).click());
    await screen.findByText(/^Restored version /);
    expect(await database.get('milk')).toMatchObject({ litres: 1 });
    await press('Undo');
    await waitFor(async () => expect(await database.get('milk')).toMatchObject({ litres: 3 }));
  });

  test('deletes the document again to restore a deletion', async () => {
    const database = await lifeOfMilk();
    await draw(database);
    expect(await restores()).toEqual(['', 'Delete again', 'Restore', 'Restore']);
    await press('Delete again');
    await screen.findByText(/^Restored version /);
    await expect(database.get('milk')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('shows a new version as soon as it is written', async () => {
    const database = await lifeOfMilk();
    await draw(database);
    await versions();
    await database.put({ _id: 'milk', litres: 4 });
    await waitFor(async () => expect((await happened())[0]).toBe('litres: 3 → 4'));
    expect(await versions()).toHaveLength(5);
  });

  test.each(['no right', 'locked'] as const)(
    'offers no restore to users who can’t write: %s',
    async (why) => {
      await draw(await lifeOfMilk(), why);
      expect(await restores()).toEqual(['', '', '', '']);
    },
  );

  test('reports a restore that failed', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    const database = await lifeOfMilk();
    vi.spyOn(database, 'bulk').mockRejectedValue(new FixpointError('STORE_FULL'));
    await draw(database);
    await press('Delete again');
    expect((await screen.findByRole('alert')).textContent).toMatch(
      /Couldn’t restore this version: .*storage is full/,
    );
  });

  test('shows why the versions can’t be read', async () => {
    await draw(databaseOf([], { history: () => Promise.reject(new FixpointError('CORRUPT')) }));
    expect((await screen.findByRole('alert')).textContent).toMatch(/Stored data is damaged/);
  });

  test('shows older versions in parts', async () => {
    const known = Array.from({ length: 35 }, () => ({}));
    await draw(databaseOf(known));
    expect(await versions()).toHaveLength(30);
    expect((await happened()).at(-1)).toBe('Changed');
    await press('Show older versions');
    await waitFor(async () => expect(await versions()).toHaveLength(35));
    expect((await happened()).at(-1)).toBe('Created');
    expect(screen.queryByRole('button', { name: 'Show older versions' })).toBe(null);
  });

  test('marks versions that are not sent, and those written at the same time', async () => {
    const events = async () => [{ event: 'version-0', state: 'local' }] as never;
    await draw(databaseOf([{}, { concurrent: true }], { events }), 'allowed', 1);
    await screen.findByText('Not sent');
    const [newest, older] = await versions();
    expect(within(newest as HTMLElement).queryByText('Not sent')).not.toBe(null);
    expect(within(older as HTMLElement).queryByText('Not sent')).toBe(null);
    expect(within(older as HTMLElement).queryByText('Written at the same time')).not.toBe(null);
  });

  test('doesn’t open or restore a version whose content compaction removed', async () => {
    await draw(databaseOf([{}, DROPPED, { isHorizon: true }]));
    expect(await happened()).toEqual([
      'Changed',
      'Content no longer on this device',
      'Snapshot created when older versions were removed',
    ]);
    expect(await restores()).toEqual(['', '', 'Restore']);
    const dropped = (await versions())[1] as HTMLElement;
    expect(within(dropped).getAllByRole<HTMLButtonElement>('button')[0]?.disabled).toBe(true);
    expect(screen.getByText(/Other devices may still have them/)).toBeDefined();
  });

  test('says why it can’t show the previous content: removed by compaction, or not kept on this device', async () => {
    await draw(databaseOf([{}, DROPPED, { isHorizon: true }]));
    const [newest, , oldest] = await versions();
    await act(async () =>
      within(newest as HTMLElement)
        .getAllByRole('button')[0]
        ?.click(),
    );
    expect(screen.getByText('Before: removed by compaction')).toBeDefined();
    await act(async () =>
      within(oldest as HTMLElement)
        .getAllByRole('button')[0]
        ?.click(),
    );
    expect(screen.getByText('Before: not kept on this device')).toBeDefined();
  });

  test('lists a version whose parents can’t be read, and says so', async () => {
    const at = () => ({ allDocs: () => Promise.reject(new FixpointError('MISSING_BLOCK')) });
    await draw(databaseOf([{}, {}], { at } as never));
    // No version is older than the last one, so nothing has to be read for it.
    expect(await happened()).toEqual(['Changed', 'Created']);
    const [first] = await versions();
    await act(async () =>
      within(first as HTMLElement)
        .getAllByRole('button')[0]
        ?.click(),
    );
    expect(screen.getByText('Before: couldn’t be read')).toBeDefined();
  });

  test('marks the version that won as the current one, wherever it is listed', async () => {
    const { database, meet } = await beforeConflict();
    for (let n = 10; n < 25; n++) {
      await database.put({ _id: 'milk', litres: n });
      // Reading the head commits.
      await database.head();
    }
    await meet();
    const { winner } = (await database.conflicts('milk')) as DocumentConflicts;
    const listed = await database.history('milk');
    await draw(database);
    const isNow = (await versions()).map((one) => within(one).queryByText('Now') !== null);
    expect(isNow).toEqual(listed.map(({ event }) => event === winner.event));
    const { signal } = new AbortController();
    const [first, ...others] = [...listed].reverse();
    for (const { event, value } of others) {
      const change = await latestChange(database, { key: 'milk', clock: event as never }, signal);
      expect(change?.field?.after).toBe(String(value?.['litres']));
    }
    expect(await latestChange(database, { key: 'milk', clock: first?.event as never }, signal)).toMatchObject(
      {
        what: 'Created',
      },
    );
  });
});
