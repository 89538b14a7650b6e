import { act, fireEvent, screen } from '@testing-library/react';
import { useCallback } from 'react';
import { useSearchParams } from 'react-router';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { drawPages, type Waiting, waiting, withPages } from '../pages.fixture.tsx';
import { useAddressChoice } from './use-address-choice.ts';

withPages();
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const PAUSE_MS = 200;

/**
 * Renders a page with a field for a part of its address. The test decides when other addresses
 * load.
 */
async function page() {
  const loads: Waiting<void>[] = [];
  function Page() {
    const [parameters, setParameters] = useSearchParams();
    const give = useCallback((find: string) => setParameters({ find }, { replace: true }), [setParameters]);
    const [text, setText] = useAddressChoice(parameters.get('find') ?? '', give, PAUSE_MS);
    return <input value={text} onChange={({ target }) => setText(target.value)} />;
  }
  const drawn = await drawPages(
    [
      {
        path: '/',
        Component: Page,
        loader: async ({ request }) => {
          if (new URL(request.url).search === '') return null;
          const load = waiting<void>();
          loads.push(load);
          await load.promise;
          return null;
        },
      },
    ],
    '/',
  );
  const field = screen.getByRole<HTMLInputElement>('textbox');
  return {
    ...drawn,
    loads,
    shown: () => field.value,
    type: (value: string) => act(async () => void fireEvent.change(field, { target: { value } })),
    pause: () => act(async () => void (await vi.advanceTimersByTimeAsync(PAUSE_MS))),
  };
}

describe('a part of the address that follows a field', () => {
  test('keeps text that is typed during a navigation, and applies the text to the address afterwards', async () => {
    const { type, pause, loads, shown, path } = await page();
    await type('mil');
    await pause();
    await type('milk');
    await pause();
    expect(loads.length).toBe(1);
    await loads[0]?.come();
    expect([path(), shown()]).toEqual(['/?find=mil', 'milk']);
    await pause();
    await loads[1]?.come();
    expect([path(), shown()]).toEqual(['/?find=milk', 'milk']);
  });

  test('shows the value of a navigation that another part of the page starts', async () => {
    const { type, pause, loads, shown, go } = await page();
    await type('milk');
    await pause();
    await loads[0]?.come();
    await go('/?find=bread');
    await loads[1]?.come();
    expect(shown()).toBe('bread');
    await go(-1);
    await loads[2]?.come();
    expect(shown()).toBe('milk');
    await pause();
    expect(loads.length).toBe(3);
  });
});
