import { act, screen } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { type Draft, keepText, takeStored, withText } from '../document/draft.ts';
import { liveDraft } from '../document/live-draft.ts';
import { useUndoableChange } from './undoable-change.ts';

withPages();

async function draw() {
  const database = await freshDatabase([{ _id: 'milk', litres: 1 }]);
  const live = liveDraft(database, 'milk');
  const stop = live.subscribe(() => undefined);
  await expect.poll(() => live.settled()?.text).toBe('{\n  "litres": 1\n}');
  const held: { change?: ReturnType<typeof useUndoableChange> } = {};
  function Page() {
    held.change = useUndoableChange(live);
    return null;
  }
  await drawPages([{ path: '/', Component: Page }], '/');
  return {
    database,
    live,
    stop,
    text: () => live.settled()?.text,
    type: (text: string) => act(async () => live.typed(text)),
    change: (text: string, how: (draft: Draft) => Draft) => act(async () => held.change?.(text, how)),
  };
}

const undo = () => act(async () => screen.getByRole('button', { name: 'Undo' }).click());

describe('a change of a draft that can be undone', () => {
  test('says what it did, and brings the text back', async () => {
    const { change, text, type, stop, live } = await draw();
    await type('{"litres": 2}');
    const before = live.settled()?.revision ?? 0;
    await change('Discarded your text.', takeStored);
    expect(screen.getByText('Discarded your text.')).toBeDefined();
    expect(text()).toBe('{\n  "litres": 1\n}');
    await undo();
    expect(text()).toBe('{"litres": 2}');
    // The editor loads the text again.
    expect(live.settled()?.revision).toBeGreaterThan(before);
    stop();
  });

  test('keeps what somebody else stored in the meantime', async () => {
    const { change, type, database, stop, live } = await draw();
    await type('{"litres": 2}');
    await change('Discarded your text.', takeStored);
    await act(async () => void (await database.put({ _id: 'milk', litres: 9 })));
    await expect.poll(() => live.settled()?.stored).toEqual({ _id: 'milk', litres: 9 });
    await undo();
    expect(live.settled()).toMatchObject({ text: '{"litres": 2}', stored: { _id: 'milk', litres: 9 } });
    stop();
  });

  test('never discards text that was typed later', async () => {
    const { change, text, type, stop } = await draw();
    await type('{"litres": 2}');
    await change('Discarded your text.', takeStored);
    await type('{"litres": 3}');
    await undo();
    expect(text()).toBe('{"litres": 3}');
    expect(screen.getByText('Couldn’t undo this: you changed the text since.')).toBeDefined();
    stop();
  });

  test('says nothing if nothing changed', async () => {
    const { change, stop } = await draw();
    await change('Nothing.', (draft) => draft);
    expect(screen.queryByText('Nothing.')).toBe(null);
    stop();
  });

  test('undoes a decision that changed only the base of the text', async () => {
    const { change, type, database, stop, live } = await draw();
    await type('{"litres": 2}');
    await act(async () => void (await database.put({ _id: 'milk', litres: 9 })));
    await expect.poll(() => live.settled()?.stored).toEqual({ _id: 'milk', litres: 9 });
    await change('Kept your version.', keepText);
    expect(live.settled()?.base).toEqual({ _id: 'milk', litres: 9 });
    await undo();
    expect(live.settled()?.base).toEqual({ _id: 'milk', litres: 1 });
    stop();
  });
});

test('merges typed text that was not parsed yet', async () => {
  const { change, live, text, stop } = await draw();
  await change('Typed.', (draft) => withText(draft, '{"litres": 5}'));
  expect([text(), live.settled()?.parsed]).toEqual(['{"litres": 5}', { fields: { litres: 5 } }]);
  stop();
});
