/** Entries that a device signed and that the server may not have, over real local rows. */
import { type EntryFields, encodeEntry, isEntryText } from '@fixpoint/protocol/storage';
import { beforeAll, describe, expect, test } from 'vitest';
import { utf8 } from '../../../base/bytes.ts';
import type { Commits } from '../../../commit/commits-interface.ts';
import { createLocalRows } from '../../../commit/local-rows.ts';
import {
  bytesOf,
  keysNamed,
  linkFields,
  personFields,
  type Written,
  written,
  writtenStart,
} from '../../../membership/form/signed-log.fixture.ts';
import { memoryStore } from '../../../platform/memory-store.ts';
import { openOwnTexts } from './own-texts.ts';

const PREFIX = 'remote/one/';

/** Opens tabs over the same rows. */
function place() {
  const values = new Map<string, Uint8Array>();
  const store = memoryStore(values);
  const commits: Pick<Commits, 'local' | 'remembered'> = {
    local: createLocalRows(store),
    remembered: (prefix) => store.readPrefix(prefix),
  };
  return { values, commits, open: (prefix = PREFIX) => openOwnTexts(commits, prefix) };
}

/** Entries of one device: `next` follows `first`, and the others are in the place of `first`. */
interface Entries {
  readonly start: Written;
  readonly first: string;
  readonly rival: string;
  readonly next: string;
  readonly ofOther: string;
  readonly join: string;
}
let entries: Entries;

beforeAll(async () => {
  const [founder, code, more] = [await keysNamed('F'), await keysNamed('C'), await keysNamed('W')];
  const start = await writtenStart('F', founder, code);
  const leave = (fields: EntryFields, by = founder) => written(fields, { signer: by.signer });
  const admission = await written(
    { ...linkFields('person', start.id, [start.id], start.id), ...(await personFields('W', more)) },
    { signer: founder.signer },
  );
  const rival = await leave({ ...linkFields('leave', start.id, [start.id], start.id) });
  const next = await leave({ ...linkFields('leave', start.id, [admission.id], admission.id) });
  const other = await leave({ ...linkFields('leave', admission.id, [admission.id]) }, more);
  const join = encodeEntry({ t: 'join', prev: [rival.id, admission.id].sort().map(bytesOf) });
  entries = {
    ...{ start, first: admission.text, rival: rival.text, next: next.text, ofOther: other.text, join },
  };
});

describe('the memory of own texts', () => {
  test('[F10] keeps texts unsent after a restart, until the server has all of them', async () => {
    const { open } = place();
    const own = await open();
    const request = [entries.first, 'S1.record'];
    expect(own.unsent()).toEqual([]);
    expect(await own.claim(request)).toBe(true);
    expect([own.unsent(), (await open()).unsent()]).toEqual([request, request]);
    await own.sent(new Set([entries.first]));
    await own.sent(new Set(['S1.record', entries.rival]));
    expect(own.unsent()).toEqual(request);
    await own.sent(new Set([...request, 'S1.other']));
    expect([own.unsent(), (await open()).unsent()]).toEqual([[], []]);
  });

  test('[F10] has one entry in each place, whichever tab signs first', async () => {
    const { open } = place();
    const tabs = await Promise.all([open(), open(), open()]);
    const wins = await Promise.all(
      [entries.first, entries.rival, entries.first].map((text, at) => tabs[at]?.claim([text])),
    );
    expect(wins).toEqual([true, false, false]);
    expect(tabs.map((tab) => tab.unsent())).toEqual([[entries.first], [], []]);
    await tabs[1]?.reload();
    expect(tabs[1]?.unsent()).toEqual([entries.first]);
  });

  test('[F10] keeps the place of an entry that the server has, also after a restart', async () => {
    const { open } = place();
    const own = await open();
    await own.claim([entries.first]);
    await own.sent(new Set([entries.first]));
    const again = await open();
    for (const tab of [own, again]) {
      expect(await tab.claim([entries.rival])).toBe(false);
      expect(await tab.claim([entries.first])).toBe(false);
      expect(tab.unsent()).toEqual([]);
    }
    expect(await again.claim([entries.next])).toBe(true);
  });

  test('has a place for each signing seat, and for each entry after it', async () => {
    const { open } = place();
    const own = await open();
    for (const text of [entries.start.text, entries.first, entries.next, entries.ofOther])
      expect(await own.claim([text])).toBe(true);
    expect(own.unsent()).toHaveLength(4);
  });

  test('has the place of the first signed entry of a request, whatever precedes it', async () => {
    const { open } = place();
    const own = await open();
    expect(isEntryText(entries.join)).toBe(true);
    expect(await own.claim(['S1.record', entries.join, entries.first, entries.next])).toBe(true);
    expect(await own.claim([entries.rival])).toBe(false);
    expect(await own.claim([entries.next])).toBe(true);
    // Both requests contain it, and it is put once.
    expect(own.unsent().filter((text) => text === entries.next)).toHaveLength(1);
  });

  test.each<[string, () => readonly string[]]>([
    ['nothing', () => []],
    ['records only', () => ['S1.record']],
    ['a join only, which nobody signs', () => [entries.join]],
  ])('rejects a request of %s', async (_, request) => {
    const { open, values } = place();
    const own = await open();
    await expect(own.claim(request())).rejects.toThrow(/no signed entry/);
    expect(values.size).toBe(0);
  });

  test('belongs to one ledger', async () => {
    const { open } = place();
    const [one, other] = [await open(), await open('remote/other/')];
    await one.claim([entries.first]);
    await other.reload();
    expect(other.unsent()).toEqual([]);
    expect(await other.claim([entries.rival])).toBe(true);
    await other.sent(new Set([entries.first, entries.rival]));
    await one.reload();
    expect(one.unsent()).toEqual([entries.first]);
  });

  test('learns from another tab that the server has texts', async () => {
    const { open } = place();
    const [one, other] = [await open(), await open()];
    await one.claim([entries.first]);
    await other.reload();
    await other.sent(new Set([entries.first]));
    expect(one.unsent()).toEqual([entries.first]);
    await one.reload();
    expect(one.unsent()).toEqual([]);
  });

  test('stays as it was if storing fails', async () => {
    const { commits } = place();
    let isFull = true;
    const local: Commits['local'] = {
      ...commits.local,
      write: async (...args) => {
        if (isFull) throw new Error('the disk is full');
        return commits.local.write(...args);
      },
    };
    const own = await openOwnTexts({ ...commits, local }, PREFIX);
    await expect(own.claim([entries.first])).rejects.toThrow(/full/);
    expect(own.unsent()).toEqual([]);
    isFull = false;
    expect(await own.claim([entries.first])).toBe(true);
    isFull = true;
    await expect(own.sent(new Set([entries.first]))).rejects.toThrow(/full/);
    expect(own.unsent()).toEqual([entries.first]);
  });

  test('writes nothing for lists that contain no own texts', async () => {
    const { open, values } = place();
    const own = await open();
    await own.claim([entries.first]);
    const before = [...values];
    await own.sent(new Set([entries.rival, 'S1.record', '']));
    await own.sent(new Set());
    expect([...values]).toEqual(before);
  });

  test('rejects a damaged row', async () => {
    const { commits, open } = place();
    await commits.local.write([{ name: `log-own/${PREFIX}x`, bytes: utf8('damaged') }]);
    await expect(open()).rejects.toMatchObject({ code: 'CORRUPT' });
  });
});
