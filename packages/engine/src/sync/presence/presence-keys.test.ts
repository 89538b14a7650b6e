import { describe, expect, test } from 'vitest';
import { utf8 } from '../../base/bytes.ts';
import { dataKey, keyText } from '../../crypto/keys.ts';
import { type LedgerKey, ledgerKey } from '../../crypto/sealed-object.ts';
import { seededRandom } from '../../testing/seeded-random.ts';
import type { Ledger } from '../ledger/ledger-kind.ts';
import { createPresenceKeys, PREVIOUS_KEY_MS } from './presence-keys.ts';
import { presenceKey } from './seal-state.ts';

const random = seededRandom(3);
const newLedgerKey = () => ledgerKey(random.bytes(32));
const nameOf = ({ material, id }: LedgerKey) => presenceKey(material, id).name;

function sealedKeys(first: LedgerKey) {
  const state = { current: first, isApproved: true, isReady: true, now: 0 };
  const ledger = {
    sealing: () => ({ kind: 'sealed' }),
    isReady: () => state.isReady,
    keys: () => ({ isApproved: () => state.isApproved, current: () => state.current }),
  } as unknown as Ledger;
  const parts = { ledger, listed: () => new Set<string>(), ledgerBytes: utf8('l'), now: () => state.now };
  return { state, keys: createPresenceKeys(parts) };
}

describe('keys of a sealed ledger', () => {
  test('accepts the previous key for a minute after a rotation', () => {
    const [one, two] = [newLedgerKey(), newLedgerKey()];
    const { state, keys } = sealedKeys(one);
    expect(keys.refresh()).toBe(true);
    expect(keys.refresh()).toBe(false);
    state.current = two;
    state.now = 1000;
    expect(keys.refresh()).toBe(true);
    expect(keys.current()?.name).toBe(nameOf(two));
    for (const key of [one, two]) expect(keys.find(nameOf(key))).toBeDefined();
    state.now += PREVIOUS_KEY_MS - 1;
    expect(keys.find(nameOf(one))).toBeDefined();
    expect(keys.refresh()).toBe(false);
    state.now += 1;
    expect(keys.find(nameOf(one))).toBeUndefined();
    expect(keys.refresh()).toBe(true);
    expect(keys.find(nameOf(two))).toBeDefined();
  });

  test('accepts no key before the previous one', () => {
    const all = [newLedgerKey(), newLedgerKey(), newLedgerKey()] as const;
    const { state, keys } = sealedKeys(all[0]);
    keys.refresh();
    for (const key of all.slice(1)) {
      state.current = key;
      keys.refresh();
    }
    expect(all.map((key) => keys.find(nameOf(key)) !== undefined)).toEqual([false, true, true]);
  });

  test('has no key while the device is not approved, or the ledger is not ready', () => {
    const one = newLedgerKey();
    const { state, keys } = sealedKeys(one);
    state.isApproved = false;
    keys.refresh();
    expect(keys.current()).toBeUndefined();
    state.isApproved = true;
    expect(keys.refresh()).toBe(true);
    expect(keys.current()?.name).toBe(nameOf(one));
    state.isReady = false;
    expect([keys.current(), keys.find(nameOf(one))]).toEqual([undefined, undefined]);
    state.isReady = true;
    state.isApproved = false;
    keys.refresh();
    expect([keys.current(), keys.find(nameOf(one))]).toEqual([undefined, undefined]);
  });
});

describe('keys of an open-key ledger', () => {
  function openKeys(ledgerBytes = utf8('l')) {
    const state = { listed: new Set<string>() };
    const ledger = { sealing: () => ({ kind: 'open-key' }), isReady: () => true, keys: () => undefined };
    const parts = {
      ledger: ledger as unknown as Ledger,
      listed: () => state.listed,
      ledgerBytes,
      now: () => 0,
    };
    return { state, keys: createPresenceKeys(parts) };
  }

  test('uses a listed key, keeps it, and accepts all listed keys', () => {
    const { state, keys } = openKeys();
    const listed = [dataKey(random.bytes(32)), dataKey(random.bytes(32))];
    const names = listed.map(({ material, idBytes }) => presenceKey(material, idBytes).name);
    state.listed = new Set(['not a key!', ...listed.slice(0, 1).map(keyText)]);
    expect(keys.refresh()).toBe(true);
    expect(keys.current()?.name).toBe(names[0]);
    state.listed = new Set(listed.map(keyText).reverse());
    expect(keys.refresh()).toBe(true);
    expect(keys.refresh()).toBe(false);
    expect(keys.current()?.name).toBe(names[0]);
    for (const name of names) expect(keys.find(name)).toBeDefined();
  });

  test('uses the same key on all devices before anybody wrote, and another one in each ledger', () => {
    const [one, same, other] = [openKeys(), openKeys(), openKeys(utf8('other'))];
    const first = one.keys.current()?.name ?? '';
    expect(same.keys.current()?.name).toBe(first);
    expect(other.keys.current()?.name).not.toBe(first);
    one.state.listed = new Set([keyText(dataKey(random.bytes(32)))]);
    one.keys.refresh();
    expect(one.keys.current()?.name).not.toBe(first);
    expect(one.keys.find(first)).toBeDefined();
  });
});
