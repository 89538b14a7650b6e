/** Tests which members a device reports because their events name entries that it doesn't have. */
import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import type { Cid } from '../../codec/cid.ts';
import type { StoreChange } from '../../ports/byte-store.ts';
import { createUnknownNames } from './unknown-names.ts';

const PREFIX = 'remote/r/secret/';
const MINUTE = 60_000;
const [ONE, TWO, THREE] = ['bafyone', 'bafytwo', 'bafythree'] as unknown as [Cid, Cid, Cid];

function place() {
  const rows = new Map<string, Uint8Array>();
  const reports: string[] = [];
  const clock = { now: 1 };
  const counts = { refreshed: 0 };
  const fault: { next?: FixpointError | undefined } = {};
  const open = (stored: Iterable<Cid> = []) =>
    createUnknownNames(
      {
        ...{ prefix: PREFIX, rows, now: () => clock.now },
        save: async (changes: readonly StoreChange[]) => {
          if (fault.next !== undefined) throw fault.next;
          for (const { key, bytes } of changes) if (bytes !== undefined) rows.set(key, bytes);
        },
        report: (error) => void reports.push((error as Error).message),
        refresh: () => {
          counts.refreshed += 1;
        },
      },
      stored,
    );
  return { rows, reports, clock, counts, fault, open };
}

describe('names that are unknown', () => {
  test('[E7] requests one list for each event, and none for somebody without the right to write', () => {
    const { open, counts } = place();
    const names = open();
    names.note(ONE, 'Bob');
    names.note(ONE, 'Bob');
    names.note(TWO, undefined);
    expect(counts.refreshed).toBe(1);
    names.note(THREE, 'Bob');
    expect(counts.refreshed).toBe(2);
  });

  test('[E7] reports a member after a minute, and once', () => {
    const { open, clock, reports } = place();
    const names = open();
    names.note(ONE, 'Bob');
    clock.now += MINUTE - 1;
    names.report();
    expect([reports, names.unconfirmed()]).toEqual([[], []]);
    clock.now += 1;
    names.note(TWO, 'Bob');
    clock.now += MINUTE;
    for (let again = 0; again < 2; again++) names.report();
    expect(reports).toEqual([expect.stringContaining('unknown entry of the log in bafyone of Bob')]);
    expect(names.unconfirmed()).toEqual(['Bob']);
  });

  test('[E7] keeps the time at which it saw an event first', () => {
    const { open, clock } = place();
    const names = open();
    names.note(ONE, 'Bob');
    clock.now += MINUTE / 2;
    names.note(ONE, 'Bob');
    clock.now += MINUTE / 2;
    expect(names.unconfirmed()).toEqual(['Bob']);
  });

  test('[E7] reports an event from before the restart at once, unless it is new', () => {
    const { open } = place();
    const names = open([ONE]);
    names.note(ONE, 'Bob');
    names.note(TWO, 'Eve');
    expect(names.unconfirmed()).toEqual(['Bob']);
  });

  test('[E7] forgets a member who was removed, an entry that arrived, and an event that counts', () => {
    const { open, clock } = place();
    const names = open();
    for (const cid of [ONE, TWO, THREE]) names.note(cid, `of ${cid}`);
    clock.now += MINUTE;
    names.note(ONE, undefined);
    names.found(TWO);
    expect(names.unconfirmed()).toEqual(['of bafythree']);
    names.keep(new Map([[ONE, undefined]]));
    expect(names.unconfirmed()).toEqual([]);
  });
});

describe('a confirmation', () => {
  test('[E7] lasts over restarts, and covers only events that the user was asked about', async () => {
    const { open, clock, reports } = place();
    const names = open();
    names.note(ONE, 'Bob');
    clock.now += MINUTE;
    names.note(TWO, 'Bob');
    await names.confirm();
    expect(names.unconfirmed()).toEqual([]);
    clock.now += MINUTE;
    expect(names.unconfirmed()).toEqual(['Bob']);
    const again = open([ONE]);
    again.note(ONE, 'Bob');
    again.report();
    expect([again.unconfirmed(), reports]).toEqual([[], []]);
  });

  test('[E7] has no effect if it could not be stored', async () => {
    const { open, fault } = place();
    const names = open([ONE]);
    names.note(ONE, 'Bob');
    fault.next = new FixpointError('STORE_FULL');
    await expect(names.confirm()).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect(names.unconfirmed()).toEqual(['Bob']);
  });

  test('[E9] remembers the newest 1,000 events', async () => {
    const { open, rows } = place();
    const many = Array.from({ length: 1001 }, (_, at) => `bafy${at}` as unknown as Cid);
    const names = open(many);
    for (const cid of many) names.note(cid, 'Bob');
    await names.confirm();
    expect(rows.size).toBe(1);
    const again = open(many);
    for (const cid of many) again.note(cid, cid);
    expect(again.unconfirmed()).toEqual(['bafy0']);
  });
});
