import { describe, expect, test } from 'vitest';
import { utf8 } from '../../base/bytes.ts';
import { sortHead } from '../../clock/event.ts';
import { GENESIS_EVENT } from '../../clock/genesis.ts';
import { type Cid, cidOf, RAW } from '../../codec/cid.ts';
import { createListed } from './listed-entries.ts';

const cid = (name: string): Cid => cidOf(RAW, utf8(name));
const entry = (name: string) => ({ cid: name, parents: [], data: '' });
const listing = (names: readonly string[], anew = false) => ({ metas: names.map(entry), keys: [], anew });
const content = (...events: readonly string[]) => ({
  group: [cid('archive')] as const,
  head: sortHead(events.map(cid)),
});
const headOf = (...events: readonly string[]) => sortHead(events.map(cid));

describe('listed entries', () => {
  test('covers a head once each of its events is in the head of an entry that was read', () => {
    const listed = createListed();
    listed.take(listing(['one', 'two']));
    expect(listed.covers(headOf('a'))).toBe(false);
    listed.read('one', content('a'));
    expect([listed.covers(headOf('a')), listed.covers(headOf('a', 'b'))]).toEqual([true, false]);
    listed.read('two', content('b'));
    expect(listed.covers(headOf('a', 'b'))).toBe(true);
  });

  test('covers an empty head, and a head with only the genesis event', () => {
    const listed = createListed();
    expect(listed.covers([])).toBe(true);
    expect(listed.covers(sortHead([GENESIS_EVENT]))).toBe(true);
    expect(listed.covers(sortHead([GENESIS_EVENT, cid('a')]))).toBe(false);
  });

  test('ignores the content of an entry that the remote does not list', () => {
    const listed = createListed();
    listed.take(listing(['one']));
    listed.read('removed', content('a'));
    expect([listed.covers(headOf('a')), listed.contents()]).toEqual([false, []]);
  });

  test('includes an entry of this device once the remote acknowledged the entry, even before a listing', () => {
    const listed = createListed();
    listed.told('mine', content('a'));
    expect(listed.covers(headOf('a'))).toBe(true);
    // A later listing of the entry doesn't drop its content.
    listed.take(listing(['mine']));
    expect(listed.covers(headOf('a'))).toBe(true);
  });

  test('adds entries of a later listing, and keeps the contents of earlier entries', () => {
    const listed = createListed();
    listed.take(listing(['one']));
    listed.read('one', content('a'));
    listed.take(listing(['one', 'two']));
    expect(listed.contents()).toEqual([content('a')]);
    expect(listed.covers(headOf('a'))).toBe(true);
  });

  test('[R17] forgets everything when the remote starts a complete listing', () => {
    const listed = createListed();
    listed.take(listing(['one']));
    listed.read('one', content('a'));
    listed.spoken(headOf('b'));
    listed.told('mine', content('c'));
    listed.take(listing(['two'], true));
    expect(['a', 'b', 'c'].map((event) => listed.covers(headOf(event)))).toEqual([false, false, false]);
    expect([listed.heads(), listed.contents()]).toEqual([[], []]);
  });

  test('prefers the head in an archive to the head that the entry claims', () => {
    const listed = createListed();
    listed.take(listing(['one']));
    listed.read('one', content('claimed'));
    expect(listed.covers(headOf('claimed'))).toBe(true);
    listed.read('one', content('real'));
    expect([listed.covers(headOf('claimed')), listed.covers(headOf('real'))]).toEqual([false, true]);
  });

  test('covers the head of an entry that omits its head, once the archive was read', () => {
    const listed = createListed();
    listed.take(listing(['of an existing client']));
    listed.read('of an existing client', content());
    expect(listed.covers(headOf('a'))).toBe(false);
    listed.spoken(headOf('a'));
    expect(listed.covers(headOf('a'))).toBe(true);
    expect(listed.heads()).toEqual([[], headOf('a')]);
    // The head that was read from the archive doesn't count as an entry.
    expect(listed.contents()).toHaveLength(1);
  });
});

describe('the doubt about a listing', () => {
  test('exists until the first listing was compared', () => {
    const listed = createListed();
    const doubt = listed.doubt() as number;
    expect(doubt).toBeDefined();
    listed.compared(doubt);
    expect(listed.doubt()).toBeUndefined();
  });

  test('does not reappear when the remote only adds entries', () => {
    const listed = createListed();
    listed.compared(listed.doubt() as number);
    listed.take(listing(['one']));
    expect(listed.doubt()).toBeUndefined();
  });

  test('[R17] starts again with a complete listing', () => {
    const listed = createListed();
    listed.compared(listed.doubt() as number);
    listed.take(listing(['one'], true));
    expect(listed.doubt()).toBeDefined();
  });

  test('[R17] remains when the listing that was compared is not the newest', () => {
    const listed = createListed();
    const before = listed.doubt() as number;
    listed.take(listing(['one'], true));
    listed.compared(before);
    expect(listed.doubt()).toBeDefined();
    listed.compared(listed.doubt() as number);
    expect(listed.doubt()).toBeUndefined();
  });
});
