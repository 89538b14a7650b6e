import { FixpointError } from '@fixpoint/protocol';
import { expect, test } from 'vitest';
import { hex } from '../../base/bytes.ts';
import { createLocalRows } from '../../commit/local-rows.ts';
import { LOG_NAME_ROW } from '../../commit/stamps.ts';
import { memoryStore } from '../../platform/memory-store.ts';
import { namedBy, nameEvents, requireNoOtherLog } from './event-name.ts';
import type { OwnEventsParts } from './own-events.ts';

const [LOG, ENTRY, OTHER] = ['aa'.repeat(32), 'bb'.repeat(32), 'cc'.repeat(32)] as const;

function place(prefix = 'remote/r/secret/', local = createLocalRows(memoryStore(new Map()))) {
  let signers = 0;
  const own = {
    hasSent: () => false,
    commits: {
      archiveOf: () => undefined,
      pendingUploads: async () => [],
      snapshot: () => ({ head: [] }),
      readers: {},
    } as unknown as OwnEventsParts['commits'],
  };
  const parts = { ...own, local, prefix, signer: async () => void signers++ };
  return {
    ...{ local, parts, signers: () => signers },
    nameOf: async () => hex((await local.read(LOG_NAME_ROW))?.subarray(0, 16) ?? new Uint8Array()),
  };
}

test('names the only head, or the join of all heads, which all devices write in the same way', () => {
  expect(namedBy({ heads: [ENTRY] })).toEqual({ ids: [ENTRY], joins: [] });
  const [one, other] = [namedBy({ heads: [ENTRY, OTHER] }), namedBy({ heads: [OTHER, ENTRY] })];
  expect(one).toEqual(other);
  expect(one.joins.map(({ id }) => id)).toEqual(one.ids);
});

test('makes events name an entry of the log that the device follows, after it has a key', async () => {
  const { parts, nameOf, signers } = place();
  await nameEvents(parts, { log: LOG, name: ENTRY, hasLog: true });
  expect([await nameOf(), signers()]).toEqual([ENTRY.slice(0, 32), 1]);
  await nameEvents(parts, { log: LOG, name: OTHER, hasLog: true });
  expect(await nameOf()).toBe(OTHER.slice(0, 32));
});

test('names zeros in a ledger whose log the device doesn’t follow, and nothing once the log is gone', async () => {
  const { parts, nameOf } = place();
  await nameEvents(parts, { log: undefined, name: undefined, hasLog: false });
  expect(await nameOf()).toBe('');
  await nameEvents(parts, { log: undefined, name: undefined, hasLog: true });
  expect(await nameOf()).toBe('00'.repeat(16));
  await nameEvents(parts, { log: undefined, name: undefined, hasLog: false });
  expect(await nameOf()).toBe('');
});

test('writes unsigned events where the platform can’t sign', async () => {
  const { parts, nameOf } = place();
  const signer = async () => {
    throw new FixpointError('NOT_IMPLEMENTED');
  };
  await nameEvents({ ...parts, signer }, { log: undefined, name: undefined, hasLog: true });
  expect(await nameOf()).toBe('');
  const broken = async () => {
    throw new FixpointError('STORE_FULL');
  };
  const named = nameEvents({ ...parts, signer: broken }, { log: LOG, name: ENTRY, hasLog: true });
  await expect(named).rejects.toMatchObject({ code: 'STORE_FULL' });
});

test('[T65, E8] rejects a second ledger with a log, and leaves the events of the first one alone', async () => {
  const first = place('remote/r/secret/');
  const second = place('remote/s/secret/', first.local);
  await nameEvents(first.parts, { log: undefined, name: undefined, hasLog: true });
  await nameEvents(second.parts, { log: undefined, name: undefined, hasLog: false });
  await requireNoOtherLog(second.parts);
  expect(await first.nameOf()).toBe('00'.repeat(16));
  await nameEvents(first.parts, { log: LOG, name: ENTRY, hasLog: true });
  await nameEvents(second.parts, { log: undefined, name: undefined, hasLog: true });
  expect(await first.nameOf()).toBe(ENTRY.slice(0, 32));
  await requireNoOtherLog(first.parts);
  await expect(requireNoOtherLog(second.parts)).rejects.toMatchObject({ code: 'LEDGER_OTHER_LOG' });
  const other = nameEvents(second.parts, { log: OTHER, name: OTHER, hasLog: true });
  await expect(other).rejects.toMatchObject({ code: 'LEDGER_OTHER_LOG' });
  expect(await first.nameOf()).toBe(ENTRY.slice(0, 32));
});
