import type { CommitEvent, HistoryOptions } from 'fixpoint';
import { expect, test } from 'vitest';
import { unsentEvents } from './unsent-events.ts';

/**
 * Returns a database with `count` events, newest first, some of which exist only on this device.
 */
function withEvents(count: number, isLocal: (at: number) => boolean) {
  const all = Array.from(
    { length: count },
    (_, at): CommitEvent => ({
      event: `e${at}`,
      parents: [],
      ids: [],
      documents: 1,
      deletedIds: [],
      deletions: 0,
      state: isLocal(at) ? 'local' : 'sent',
    }),
  );
  const reads: (string | undefined)[] = [];
  const events = async ({ limit = 50, after }: HistoryOptions = {}) => {
    reads.push(after);
    const from = after === undefined ? 0 : all.findIndex(({ event }) => event === after) + 1;
    return all.slice(from, from + limit);
  };
  return { database: { events }, reads };
}
const { signal } = new AbortController();

test('finds unsent events, and reads pages until one contains no unsent event', async () => {
  const { database, reads } = withEvents(1000, (at) => at < 210 || at === 300);
  const found = await unsentEvents(database, signal);
  expect([...found]).toEqual([...Array.from({ length: 210 }, (_, at) => `e${at}`), 'e300']);
  expect(reads).toEqual([undefined, 'e199', 'e399']);
});

test('reads only one page when all events were sent, or when the history is short', async () => {
  const sent = withEvents(1000, () => false);
  expect([...(await unsentEvents(sent.database, signal))]).toEqual([]);
  expect(sent.reads).toEqual([undefined]);
  const short = withEvents(3, () => true);
  expect([...(await unsentEvents(short.database, signal))]).toEqual(['e0', 'e1', 'e2']);
  expect(short.reads).toEqual([undefined]);
});
