import { act, fireEvent, screen, within } from '@testing-library/react';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { describe, expect, test, vi } from 'vitest';
import { freshLocal, withEngine } from '../../../engine/engine-here.fixture.ts';
import { WritingContext } from '../../../local/can-write.ts';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { withSizes } from '../../../ui/sizes.fixture.ts';
import { CommitList } from './commit-list.tsx';

withPages();
withEngine();
withSizes();

async function drawLine(state: 'allowed' | 'no right' = 'allowed', more: Partial<BridgedDatabase> = {}) {
  const database = await freshLocal([{ _id: 'milk', litres: 1 }]);
  Object.assign(database, more);
  const element = (
    <WritingContext value={state}>
      <CommitList {...{ database }} toSend={undefined} allPath="/all" docsPath="/docs" />
    </WritingContext>
  );
  await drawPages([{ path: '/', element }], '/');
  const button = await screen.findByRole('button', { name: /Wrote milk/ });
  const [event = ''] = await database.head();
  return { database, button, event, item: button.closest('li') as HTMLElement };
}

const namesIn = (item: HTMLElement) =>
  [...item.querySelectorAll('a, button')].slice(1).map((one) => one.getAttribute('aria-label'));
const ACTIONS = [/^Copy the link to version /, /^Browse version /, /^Restore version /];
const actions = (count = ACTIONS.length) =>
  ACTIONS.slice(0, count).map((name) => expect.stringMatching(name) as string);

describe('the row of a commit', () => {
  test('shows its actions while the pointer is over it', async () => {
    const { item, button } = await drawLine();
    expect(namesIn(item)).toEqual([]);
    await act(async () => void fireEvent.pointerEnter(button.parentElement?.parentElement as HTMLElement));
    expect(namesIn(item)).toEqual(actions());
    await act(async () => void fireEvent.pointerLeave(button.parentElement?.parentElement as HTMLElement));
    expect(namesIn(item)).toEqual([]);
  });

  test('shows its actions while the focus is in it, also on one of the actions', async () => {
    const { item, button, event } = await drawLine();
    await act(async () => button.focus());
    expect(namesIn(item)).toEqual(actions());
    const browse = within(item).getByRole('link', { name: /^Browse/ });
    expect(browse.getAttribute('href')).toBe(`/all?at=${event}`);
    await act(async () => browse.focus());
    expect(namesIn(item)).toEqual(actions());
    await act(async () => browse.blur());
    expect(namesIn(item)).toEqual([]);
  });

  test('copies a link that opens the commit, and says so', async () => {
    const writeText = vi.fn(async () => undefined);
    vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } });
    const { item, button, event } = await drawLine();
    await act(async () => button.focus());
    await act(async () => within(item).getByRole('button', { name: /^Copy/ }).click());
    expect(writeText).toHaveBeenCalledWith(expect.stringContaining(`event=${event}`));
    expect(await screen.findByText('Link copied.')).toBeDefined();
    writeText.mockRejectedValue(new Error('denied'));
    await act(async () => within(item).getByRole('button', { name: /^Copy/ }).click());
    expect(await screen.findByText(/^Couldn’t copy the link/)).toBeDefined();
  });

  test('restores its version after a confirmation, which stays when the pointer leaves', async () => {
    const { database, item, button } = await drawLine();
    const row = button.parentElement?.parentElement as HTMLElement;
    await database.put({ _id: 'milk', litres: 2 });
    await act(async () => void fireEvent.pointerEnter(row));
    await act(async () =>
      within(item)
        .getByRole('button', { name: /^Restore/ })
        .click(),
    );
    await act(async () => void fireEvent.pointerLeave(row));
    const dialog = within(await screen.findByRole('dialog', { name: 'Restore all documents' }));
    await dialog.findByText('1 document will get the content of this version.');
    await act(async () => dialog.getByRole('button', { name: 'Restore' }).click());
    await vi.waitFor(async () => expect(await database.get('milk')).toMatchObject({ litres: 1 }));
  });

  test('offers no restore to users who may only read', async () => {
    const { item, button } = await drawLine('no right');
    await act(async () => button.focus());
    expect(namesIn(item)).toEqual(actions(2));
  });

  test('offers only the link of a compacted commit', async () => {
    const { events } = await freshLocal([{ _id: 'milk' }]);
    const { item, button } = await drawLine('allowed', {
      events: async (options) => (await events(options)).map((one) => ({ ...one, isDropped: true as const })),
    });
    await act(async () => button.focus());
    expect(namesIn(item)).toEqual(actions(1));
  });
});
