import { act, screen } from '@testing-library/react';
import { useSyncExternalStore } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { DocumentNews } from './document-news.tsx';
import { liveDraft } from './live-draft.ts';

withPages();

const STORED = '{\n  "litres": 1\n}';

/** Renders the news of a document, whose text the test can change. */
async function draw() {
  const database = await freshDatabase([{ _id: 'milk', litres: 1 }]);
  const live = liveDraft(database, 'milk');
  const onMerge = vi.fn();
  function Page() {
    const { state, ...more } = useSyncExternalStore(live.subscribe, live.current);
    return 'draft' in more ? <DocumentNews draft={more.draft} {...{ live, onMerge }} /> : state;
  }
  await drawPages([{ path: '/', Component: Page }], '/');
  await vi.waitFor(() => expect(live.settled()?.text).toBe(STORED));
  return {
    database,
    onMerge,
    type: (text: string) => act(async () => live.typed(text)),
    put: async (litres: number) => {
      await act(async () => void (await database.put({ _id: 'milk', litres })));
      await vi.waitFor(() => expect(live.settled()?.stored).toEqual({ _id: 'milk', litres }));
    },
    draft: () => live.settled(),
  };
}

const buttons = () => screen.queryAllByRole('button').map(({ textContent }) => textContent);
const alert = () => screen.queryByRole('alert')?.textContent ?? '';
const press = (name: string) => act(async () => screen.getByRole('button', { name }).click());

describe('the news of a document', () => {
  test('shows nothing without edits, and without changes of others', async () => {
    const { type, put } = await draw();
    expect(alert()).toBe('');
    await put(2);
    expect(alert()).toBe('');
    await type('{"litres": 3}');
    expect(alert()).toBe('');
  });

  test('offers both versions and a merge after a change elsewhere', async () => {
    const { type, put, onMerge } = await draw();
    await type('{"litres": 3}');
    await put(2);
    expect(alert()).toMatch(/^This document was changed elsewhere while you edited it\./);
    expect(buttons()).toEqual(['Use the other version', 'Keep my version', 'Merge...']);
    await press('Merge...');
    expect(onMerge).toHaveBeenCalledTimes(1);
  });

  test('takes the other version, and undoes that', async () => {
    const { type, put, draft } = await draw();
    await type('{"litres": 3}');
    await put(2);
    await press('Use the other version');
    expect([draft()?.text, alert()]).toEqual(['{\n  "litres": 2\n}', '']);
    await press('Undo');
    expect([draft()?.text, alert() === '']).toEqual(['{"litres": 3}', false]);
  });

  test('keeps the own version, and undoes that', async () => {
    const { type, put, draft } = await draw();
    await type('{"litres": 3}');
    await put(2);
    await press('Keep my version');
    expect([draft()?.text, alert()]).toEqual(['{"litres": 3}', '']);
    await press('Undo');
    expect(alert()).toMatch(/^This document was changed elsewhere/);
  });

  test('offers no merge with a text that isn’t valid', async () => {
    const { type, put } = await draw();
    await type('{"litres": ');
    await put(2);
    expect(buttons()).toEqual(['Use the other version', 'Keep my version']);
  });

  test('offers only the own version after a deletion', async () => {
    const { type, database } = await draw();
    await type('{"litres": 3}');
    await act(async () => void (await database.del('milk')));
    await vi.waitFor(() => expect(alert()).toMatch(/^This document was deleted elsewhere\./));
    expect(buttons()).toEqual(['Keep my version']);
  });
});
