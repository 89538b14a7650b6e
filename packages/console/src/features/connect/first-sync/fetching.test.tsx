import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { NOTHING_COUNTED, type SyncCounts } from '../../sync/sync-counts.ts';
import { Fetching } from './first-sync.tsx';

afterEach(cleanup);

const bar = () => screen.queryByRole<HTMLProgressElement>('progressbar');
const drawn = (counts: SyncCounts | undefined) => render(<Fetching counts={counts} />);

describe('the first fetch of a ledger', () => {
  test.each([
    ['no status', undefined],
    ['nothing to fetch', NOTHING_COUNTED],
    ['only parts to send', { ...NOTHING_COUNTED, sent: 2, toSend: 3 }],
  ])('has no number with %s', (_what, counts) => {
    drawn(counts);
    expect([screen.getByText('Loading...') !== null, bar()]).toEqual([true, null]);
  });

  test('counts the parts that arrived, and all parts', () => {
    drawn({ ...NOTHING_COUNTED, fetched: 5, toFetch: 15, toSend: 9 });
    expect(screen.getByRole('status').textContent).toBe('Fetching the documents: 5 of 20 parts');
    expect([bar()?.value, bar()?.max]).toEqual([5, 20]);
  });

  test('names a single part', () => {
    drawn({ ...NOTHING_COUNTED, toFetch: 1 });
    expect(screen.getByRole('status').textContent).toBe('Fetching the documents: 0 of 1 part');
  });
});
