/** Renders the tree or the form of a document over a real draft. */
import { act, fireEvent, screen } from '@testing-library/react';
import { useSyncExternalStore } from 'react';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import { drawPages, pageCalled } from '../../../ui/pages.fixture.tsx';
import { draftOf, withText } from '../document/draft.ts';
import { type LiveDraft, liveDraft } from '../document/live-draft.ts';
import { FieldsView } from './fields-view.tsx';

export interface DrawnFields {
  readonly view: 'tree' | 'form';
  readonly text: string;
  readonly others?: readonly Readonly<Record<string, unknown>>[];
  readonly canWrite?: boolean;
  readonly field?: string;
}

/** Renders the fields of a new document with this text, in a database with other documents. */
export async function drawFields({ view, text, others = [], canWrite = true, field }: DrawnFields) {
  const database = await freshDatabase(others);
  const live = liveDraft(database, undefined);
  live.change((draft) => withText(draft, text));
  const Page = () => (
    <FieldsView {...{ view, database, live, canWrite, field }} draft={useDraftOf(live)} basePath="/docs" />
  );
  const pages = await drawPages(
    [
      { path: '/here', Component: Page },
      { path: '/docs/:id', Component: pageCalled('A document') },
    ],
    '/here',
  );
  const textNow = () => live.settled()?.text ?? '';
  return {
    ...pages,
    live,
    database,
    text: textNow,
    /** Returns the document of the draft. */
    json: (): unknown => JSON.parse(textNow()),
  };
}

function useDraftOf(live: LiveDraft) {
  const { state, ...more } = useSyncExternalStore(live.subscribe, live.current);
  return 'draft' in more ? more.draft : draftOf(undefined, undefined);
}

export const press = (name: string) => act(async () => screen.getByRole('button', { name }).click());

/** Presses a key in an element, and returns whether something handled it. */
export async function pressKey(element: Element, key: string, more: KeyboardEventInit = {}) {
  let isHandled = false;
  await act(async () => {
    isHandled = !fireEvent.keyDown(element, { key, ...more });
  });
  return isHandled;
}

/** Types into a field that a label names. */
export const type = (label: string, value: string) =>
  act(async () => void fireEvent.change(screen.getByLabelText(label), { target: { value } }));

/** Chooses an item of the menu of a field. */
export async function chooseFor(field: string, item: string) {
  await press(`More for ${field}`);
  const found = await screen.findByRole('menuitem', { name: item });
  await act(async () => found.click());
}

/** Returns the items of the menu of a field. */
export async function itemsFor(field: string) {
  await press(`More for ${field}`);
  return (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent?.trim());
}
