import { act, cleanup, render } from '@testing-library/react';
import type { Database } from 'fixpoint';
import { Suspense, startTransition, use, useState } from 'react';
import { afterEach, expect, test } from 'vitest';
import { afterSave } from './draft.ts';
import { type PageDraft, useDraft } from './use-draft.ts';

afterEach(cleanup);

test('keeps text typed while the page switches to the saved document, even if React restarts the render', async () => {
  const milk = { _id: 'milk', litres: 1 };
  const database = {
    name: 'pantry',
    subscribe: () => () => undefined,
    get: () => Promise.resolve(milk),
  } as unknown as Database;
  let shown: PageDraft | undefined;
  let lead: (id: string) => void = () => undefined;
  let arrive: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  function Editor({ id }: { id: string | undefined }) {
    shown = useDraft(database, id);
    return null;
  }
  /** Suspends the render of the next page until the test continues it. */
  function Beside({ id }: { id: string | undefined }) {
    if (id !== undefined) use(arrived);
    return null;
  }
  function Page() {
    const [id, setId] = useState<string>();
    lead = (next) => startTransition(() => setId(next));
    return (
      <Suspense>
        <Editor id={id} />
        <Beside id={id} />
      </Suspense>
    );
  }
  render(<Page />);
  const begun = shown?.live;
  const text = () => (shown?.state.state === 'there' ? shown.state.draft.text : undefined);
  await act(async () => begun?.typed('{ "litres": 1 }'));
  await act(async () => begun?.change((draft) => afterSave(draft, 'milk', { litres: 1 }, undefined)));
  await act(async () => lead('milk'));
  await act(async () => begun?.typed('{ "litres": 12 }'));
  expect([shown?.live === begun, text()]).toEqual([true, '{ "litres": 12 }']);
  await act(async () => arrive());
  expect([shown?.live === begun, text(), shown?.nth]).toEqual([true, '{ "litres": 12 }', 1]);
});
