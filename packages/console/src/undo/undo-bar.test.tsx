import { act, fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { withConflict } from '../features/history/conflicts/real-conflict.fixture.ts';
import { freshDatabase } from '../local/fresh-database.fixture.ts';
import { drawPages, withPages } from '../ui/pages.fixture.tsx';
import { withDeviceNames } from '../values/who-wrote.ts';
import { UndoBar } from './undo-bar.tsx';
import { activeStack, recordStep, type Step } from './undo-stack.ts';
import { fieldChange, writtenStep } from './written-step.ts';

withPages();

const press = (name: string) => act(async () => screen.getByRole('button', { name }).click());
const bar = () => screen.getByRole('region', { name: 'Undo' });

/** Renders the bar for a database with one document, whose `litres` changed from 1 to 2. */
async function changed() {
  const database = await freshDatabase([{ _id: 'milk', litres: 2 }]);
  await drawPages([{ path: '/', element: <UndoBar database={database} /> }], '/');
  const kept = [fieldChange('milk', [{ field: 'litres', before: 1, after: 2 }])];
  const step: Step = writtenStep(database, 'Changed litres of milk', [{ kept }]);
  await act(async () => recordStep(database, step));
  const litres = async () => (await database.get<{ litres: number }>('milk')).litres;
  return { database, litres };
}

describe('the bar', () => {
  test('names the latest step, and undoes and redoes it', async () => {
    const { litres } = await changed();
    expect(within(bar()).getByRole('status').textContent).toBe('Changed litres of milk.');
    expect(screen.queryByRole('button', { name: 'Redo' })).toBeNull();
    await press('Undo');
    await screen.findByText('Undid “Changed litres of milk”.');
    expect(await litres()).toBe(1);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Undo' }).disabled).toBe(true);
    await press('Redo');
    await screen.findByText('Redid “Changed litres of milk”.');
    expect(await litres()).toBe(2);
  });

  test.each([
    ['Linux', 'Ctrl Z', 'Ctrl Shift Z'],
    ['Mac OS X', '⌘ Z', '⌘ Shift Z'],
  ])('shows its keys on %s, outside of the names of its buttons', async (system, undo, redo) => {
    vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue(system);
    await changed();
    const keys = () => [...bar().querySelectorAll<HTMLElement>('kbd')].map(({ dataset }) => dataset['keys']);
    expect(keys()).toEqual([undo]);
    await press('Undo');
    await screen.findByRole('button', { name: 'Redo' });
    expect(keys()).toEqual([undo, redo]);
  });

  test('makes its stack the active one while it is shown', async () => {
    const { database } = await changed();
    expect(activeStack()?.current().done).toHaveLength(1);
    await act(async () => recordStep({ name: 'another' }, writtenStep(database, 'Other', [])));
    expect(bar().textContent).toContain('Changed litres of milk.');
  });

  test('shows no buttons before the first step', async () => {
    const database = await freshDatabase([], 'unchanged');
    await drawPages([{ path: '/', element: <UndoBar database={database} /> }], '/');
    expect(within(bar()).queryAllByRole('button')).toEqual([]);
  });
});

describe('the question about a later change', () => {
  async function asked() {
    const page = await changed();
    await page.database.put({ _id: 'milk', litres: 9 });
    await press('Undo');
    const question = await screen.findByRole('group', { name: 'Undo “Changed litres of milk”' });
    return { ...page, question };
  }

  test('names the device of the later change as the user does', async () => {
    const database = await freshDatabase([{ _id: 'milk', litres: 2 }]);
    const people = withDeviceNames(new Map(), new Map([['0123456789', 'Old phone']]));
    const later = { event: 'e', concurrent: false, value: undefined, device: '0123456789' };
    vi.spyOn(database, 'history').mockResolvedValue([later] as never);
    await drawPages([{ path: '/', element: <UndoBar {...{ database, people }} /> }], '/');
    const kept = [fieldChange('milk', [{ field: 'litres', before: 1, after: 3 }])];
    await act(async () => recordStep(database, writtenStep(database, 'Changed litres of milk', [{ kept }])));
    await press('Undo');
    const question = within(await screen.findByRole('group', { name: /^Undo/ })).getByRole('alert');
    await expect.poll(() => question.textContent).toMatch(/^Old phone changed this document since/);
  });

  test('names the author and the value that would be lost, and writes nothing yet', async () => {
    const { question, litres } = await asked();
    const alert = within(question).getByRole('alert');
    await expect.poll(() => alert.textContent).toContain('Another tab on this device changed this document');
    expect(alert.textContent).toContain('milk: litres is now 9');
    expect(await litres()).toBe(9);
    expect(document.activeElement?.textContent).toBe('Cancel');
  });

  test('keeps the later change on Cancel and Escape', async () => {
    const { question, litres } = await asked();
    await act(async () => void fireEvent.keyDown(question, { key: 'Escape' }));
    expect(screen.queryByRole('group')).toBeNull();
    await press('Undo');
    await screen.findByRole('group');
    await press('Cancel');
    expect([await litres(), activeStack()?.current().done.length]).toEqual([9, 1]);
  });

  test('overwrites the later change when the user agrees', async () => {
    const { litres } = await asked();
    await press('Undo anyway');
    await screen.findByText('Undid “Changed litres of milk”.');
    expect(await litres()).toBe(1);
  });
});

test('asks before Undo ends a conflict, and ends it when the user agrees', async () => {
  const { database, seen } = await withConflict([{ _id: 'rice', litres: 2 }]);
  await drawPages([{ path: '/', element: <UndoBar database={database} /> }], '/');
  const { litres } = seen.winner.value as unknown as { litres: number };
  const kept = [
    fieldChange('milk', [{ field: 'litres', before: 1, after: litres }]),
    fieldChange('rice', [{ field: 'litres', before: 1, after: 2 }]),
  ];
  await act(async () => recordStep(database, writtenStep(database, 'Changed litres', [{ kept }])));
  await press('Undo');
  const question = within(await screen.findByRole('group', { name: 'Undo “Changed litres”' }));
  const alert = question.getByRole('alert').textContent;
  expect(alert).toMatch(
    /^Nobody has merged the versions of 1 document of 2\. Undoing .* keep only one version:/,
  );
  expect(alert).toContain('milk has a conflict');
  expect(await database.conflicts('milk')).toEqual(seen);
  await press('Undo the other 1');
  await screen.findByText('Undid “Changed litres”, but not in 1 document with a conflict.');
  expect(await database.conflicts('milk')).toEqual(seen);
  await press('Redo');
  await screen.findByText('Redid “Changed litres”.');
  await press('Undo');
  await screen.findByRole('group');
  await press('Undo all');
  await screen.findByText('Undid “Changed litres”.');
  expect([await database.conflicts('milk'), await database.get('milk')]).toEqual([
    undefined,
    { _id: 'milk', litres: 1 },
  ]);
});

test('names both reasons if others changed some documents, and some have a conflict', async () => {
  const { database, seen } = await withConflict([{ _id: 'rice', litres: 9 }]);
  await drawPages([{ path: '/', element: <UndoBar database={database} /> }], '/');
  const { litres } = seen.winner.value as unknown as { litres: number };
  const kept = [
    fieldChange('milk', [{ field: 'litres', before: 1, after: litres }]),
    fieldChange('rice', [{ field: 'litres', before: 1, after: 2 }]),
  ];
  await act(async () => recordStep(database, writtenStep(database, 'Changed both', [{ kept }])));
  await press('Undo');
  const question = within(await screen.findByRole('group', { name: 'Undo “Changed both”' }));
  await expect
    .poll(() => question.getByRole('alert').textContent)
    .toMatch(/changed 1 document of 2 since\. Nobody has merged the versions of 1 document of 2\./);
  await press('Undo anyway');
  await screen.findByText('Undid “Changed both”.');
  const docs = (await database.allDocs()).rows.map(({ value }) => value);
  expect([docs, await database.conflicts('milk')]).toEqual([
    ['milk', 'rice'].map((_id) => ({ _id, litres: 1 })),
    undefined,
  ]);
});

test('asks again if another version arrives while it asks', async () => {
  const { database, other, meet, seen } = await withConflict();
  await drawPages([{ path: '/', element: <UndoBar database={database} /> }], '/');
  const kept = [fieldChange('milk', [{ field: 'shelf', before: 'A', after: undefined }])];
  await act(async () => recordStep(database, writtenStep(database, 'Removed shelf', [{ kept }])));
  await press('Undo');
  await screen.findByRole('group');
  await other.put({ _id: 'milk', litres: 8 });
  await database.put({ _id: 'milk', litres: 9 });
  await meet();
  await press('Undo anyway');
  await screen.findByRole('group', { name: 'Undo “Removed shelf”' });
  const now = await database.conflicts('milk');
  expect([now?.losers.length, now?.winner.event === seen.winner.event]).toEqual([1, false]);
  await press('Undo anyway');
  await screen.findByText('Undid “Removed shelf”.');
  expect(await database.get('milk')).toMatchObject({ shelf: 'A' });
});
