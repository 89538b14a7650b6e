import { screen, waitFor } from '@testing-library/react';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { describe, expect, test } from 'vitest';
import { appWith } from '../../cloud/app.fixture.ts';
import { drawPart, press } from '../../cloud/part.fixture.tsx';
import { withPages } from '../../ui/pages.fixture.tsx';
import { ExportCard } from './export-card.tsx';

withPages();

/** Renders the card of a database whose counts the test answers. */
async function card(lead?: string) {
  const counts: { signal: AbortSignal; answer(count: number): void; fail(): void }[] = [];
  let change: () => void = () => undefined;
  let isSubscribed = false;
  const database = {
    name: 'pantry',
    rows: {
      count: ({ signal }: { signal: AbortSignal }) =>
        new Promise((answer, reject) =>
          counts.push({ signal, answer, fail: () => reject(new Error('closed')) }),
        ),
    },
    subscribe: (listener: () => void) => {
      change = listener;
      isSubscribed = true;
      return () => {
        isSubscribed = false;
      };
    },
  } as unknown as BridgedDatabase;
  const pages = await drawPart(() => <ExportCard database={database} lead={lead} />, appWith({}));
  return { ...pages, counts, change: () => change(), isSubscribed: () => isSubscribed };
}
const label = () => screen.getByRole('button', { name: /^Export/ }).textContent?.trim();

describe('the card that exports a database', () => {
  test('names the number of documents once it is known', async () => {
    const { counts } = await card();
    expect(label()).toBe('Export all documents');
    counts[0]?.answer(1);
    await waitFor(() => expect(label()).toBe('Export 1 document'));
  });

  test('counts again after a change, and ignores the count before', async () => {
    const { counts, change } = await card();
    change();
    expect(counts.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    counts[1]?.answer(12_676);
    counts[0]?.answer(5);
    await waitFor(() => expect(label()).toBe('Export 12,676 documents'));
  });

  test('offers the export even if the documents can’t be counted', async () => {
    const { counts } = await card();
    counts[0]?.fail();
    await waitFor(() => expect(label()).toBe('Export all documents'));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('stops counting when the page is left', async () => {
    const { counts, go, isSubscribed } = await card();
    expect(isSubscribed()).toBe(true);
    await go('/elsewhere');
    expect([isSubscribed(), counts[0]?.signal.aborted]).toEqual([false, true]);
  });

  test.each([
    ['JSON', /^One list of all documents\./, false],
    ['NDJSON', /^One document per line/, false],
    ['CSV', /^One column per field/, true],
  ] as const)('explains the format %s, and offers its options', async (format, text, hasOption) => {
    await card('Only in this browser.');
    await press(format);
    expect(screen.getByRole('button', { name: format }).getAttribute('aria-pressed')).toBe('true');
    expect(screen.getByText(text)).toBeDefined();
    expect(screen.queryByRole('checkbox', { name: 'Safe for spreadsheets' }) !== null).toBe(hasOption);
    expect(screen.getByText('Only in this browser.')).toBeDefined();
  });
});
