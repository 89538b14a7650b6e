import { describe, expect, test } from 'vitest';
import { utf8 } from '../../base/bytes.ts';
import { dag, eventCid } from '../../clock/dag.fixture.ts';
import { Arrivals, type ReceivedEntry, receivedRow } from './arrivals.ts';

type Told = Partial<ReceivedEntry> & { readonly seq: number; readonly account: string; readonly at: string };

/** A line of events `e1` to `e4`, and an event `f2` beside `e2`; `m` merges `e4` and `f2`. */
const history = () => dag({ e1: [], e2: ['e1'], e3: ['e2'], e4: ['e3'], f2: ['e1'], m: ['e4', 'f2'] });

/** Rows of entries. Each entry was received as many milliseconds after 1970 as its number. */
function rowsOf(told: readonly Told[], remote = 'r') {
  const rows = told.map(({ seq, account, at, base = seq - 1, atMs = seq }) =>
    receivedRow(remote, `entry-${seq}`, { seq, base, atMs, account, head: [eventCid(at)] }),
  );
  return new Map(rows.map(({ key, bytes }) => [key, bytes as Uint8Array]));
}

function over(
  rows: Map<string, Uint8Array>,
  { read, readCount } = history(),
  isOpen?: (cid: string) => boolean,
) {
  const arrivals = new Arrivals(
    async (prefix) => new Map([...rows].filter(([key]) => key.startsWith(prefix))),
    read,
    isOpen,
  );
  return { arrivals, readCount, of: (name: string) => arrivals.of(eventCid(name)) };
}

const from = (account: string | undefined, atMs: number) => ({ atMs, ...(account && { account }) });

describe('arrivals of events', () => {
  test('returns the first entry that brought an event, not a later one that has it, too', async () => {
    const { arrivals, of } = over(
      rowsOf([
        { seq: 1, account: 'ann', at: 'e1' },
        { seq: 2, account: 'bob', at: 'e2' },
        { seq: 3, account: 'ann', at: 'e4' },
      ]),
    );
    await arrivals.advance();
    expect([of('e1'), of('e2'), of('e3'), of('e4'), of('f2')]).toEqual([
      from('ann', 1),
      from('bob', 2),
      from('ann', 3),
      from('ann', 3),
      undefined,
    ]);
  });

  test('omits the account of events that an unseen entry of another account may have brought', async () => {
    // A device that joins late sees only the newest entry of each account.
    const late = over(
      rowsOf([
        { seq: 8, base: 0, account: 'bob', at: 'e2' },
        { seq: 9, base: 0, account: 'ann', at: 'e3' },
      ]),
    );
    await late.arrivals.advance();
    expect([late.of('e1'), late.of('e2'), late.of('e3')]).toEqual([
      from(undefined, 8),
      from(undefined, 8),
      from('ann', 9),
    ]);
  });

  test('keeps the account of an event that arrived before the unseen entries', async () => {
    const { arrivals, of } = over(
      rowsOf([
        { seq: 1, account: 'ann', at: 'e2' },
        // The device was offline while entries 2 to 6 were replaced.
        { seq: 7, base: 1, account: 'bob', at: 'e3' },
        { seq: 8, base: 1, account: 'ann', at: 'e4' },
        { seq: 9, account: 'bob', at: 'm' },
      ]),
    );
    await arrivals.advance();
    expect([of('e1'), of('e2'), of('e3'), of('e4'), of('m')]).toEqual([
      from('ann', 1),
      from('ann', 1),
      from(undefined, 7),
      from('ann', 8),
      from('bob', 9),
    ]);
  });

  test('reads each event once, however many entries follow', async () => {
    const rows = rowsOf([{ seq: 1, account: 'ann', at: 'e3' }]);
    const { arrivals, of, readCount } = over(rows);
    await arrivals.advance();
    expect(readCount()).toBe(3);
    for (const [key, bytes] of rowsOf([{ seq: 2, account: 'bob', at: 'e4' }])) rows.set(key, bytes);
    await Promise.all([arrivals.advance(), arrivals.advance()]);
    expect(of('e4')).toEqual(from('bob', 2));
    expect(readCount()).toBe(4);
  });

  test('starts over when an entry with a lower number appears', async () => {
    const rows = rowsOf([{ seq: 5, base: 0, account: 'ann', at: 'e2' }]);
    const { arrivals, of } = over(rows);
    await arrivals.advance();
    for (const [key, bytes] of rowsOf([{ seq: 4, base: 3, account: 'bob', at: 'e1' }])) rows.set(key, bytes);
    await arrivals.advance();
    expect([of('e1'), of('e2')]).toEqual([from('bob', 4), from('ann', 5)]);
  });

  test('returns the earliest of several remotes, and considers only the given events', async () => {
    const rows = new Map([
      ...rowsOf([{ seq: 7, account: 'ann', at: 'e3' }]),
      ...rowsOf([{ seq: 2, account: 'bob', at: 'e3' }], 'other'),
    ]);
    const { arrivals, of, readCount } = over(rows, history(), (cid) => cid === eventCid('e3'));
    await arrivals.advance();
    expect([of('e3'), of('e2')]).toEqual([from('bob', 2), undefined]);
    expect(readCount()).toBe(2);
  });

  test('ignores damaged rows and events that are not here', async () => {
    const rows = rowsOf([
      { seq: 1, account: 'ann', at: 'e1' },
      { seq: 2, account: 'ann', at: 'unknown' },
    ]);
    for (const [at, text] of ['', '{}', '{"v":1,"seq":"1"}', '{"v":2}'].entries())
      rows.set(`received/r/damaged-${at}`, utf8(text));
    const { arrivals, of } = over(rows);
    await arrivals.advance();
    expect(of('e1')).toEqual(from('ann', 1));
  });

  test.each([
    ['a number that counting does not reach', { seq: 2 ** 53, base: 2 ** 53 - 10 }],
    ['a negative number', { seq: 2, base: -1 }],
    ['a fraction', { seq: 2.5 }],
    ['a time outside of the calendar', { seq: 2, atMs: 1e16 }],
    ['an account with control characters', { seq: 2, account: 'bob\u001b[2J' }],
    ['an account without an id', { seq: 2, account: '' }],
  ])('ignores a row with %s', async (_, given) => {
    const rows = rowsOf([
      { seq: 1, account: 'ann', at: 'e1' },
      { account: 'bob', at: 'e2', ...given },
    ]);
    const { arrivals, of } = over(rows);
    await arrivals.advance();
    expect([of('e1'), of('e2')]).toEqual([from('ann', 1), undefined]);
  });
});
