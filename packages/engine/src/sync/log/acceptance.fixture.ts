/** A device in memory that receives events and a membership log in any order. */
import { FixpointError } from '@fixpoint/protocol';
import type { EntryId, LogEntry, SeatName, Signer } from '@fixpoint/protocol/storage';
import { hex, utf8 } from '../../base/bytes.ts';
import { newPair } from '../../base/p256.ts';
import { signerOf } from '../../base/signatures.ts';
import { mergeHeads } from '../../clock/advance.ts';
import { type ClockEvent, encodeEvent, type Head, type ReadEvent, sortHead } from '../../clock/event.ts';
import { signedEvent } from '../../clock/signature.ts';
import { type Cid, cidOf, RAW } from '../../codec/cid.ts';
import { sha256 } from '../../codec/sha256.ts';
import type { Commits } from '../../commit/commits-interface.ts';
import type { RemoteMerge } from '../../commit/merge-remote.ts';
import { evaluate } from '../../membership/evaluate.ts';
import { admit, keys, START, testLog } from '../../membership/membership.fixture.ts';
import { Acceptance } from './acceptance.ts';
import type { Followed } from './log-state.ts';
import { encodeOwn, OWN_ROW, ownUnsigned } from './own-events.ts';

const signerNamed = async (name: string): Promise<Signer> =>
  signerOf((await newPair(sha256(utf8(`signer ${name}`)))).both);
export const keyOf = ({ publicKey }: Signer): string => hex(publicKey);

/** A log whose founder has a real key, and whose entries have real ids. */
function signedTestLog(founder: Signer) {
  const log = testLog((n) => hex(sha256(utf8(`entry ${n}`))));
  const F: SeatName = { key: keyOf(founder), entry: START };
  log.entries[0] = { ...log.entries[0], by: F, device: keys(F.key) } as LogEntry;
  return { log, F };
}

/** Events of all devices, and what the server could invent. */
function eventWorld() {
  const events = new Map<Cid, ClockEvent>();
  let n = 0;
  const put = (event: ClockEvent): Cid => {
    const { cid } = encodeEvent(event);
    events.set(cid, event);
    return cid;
  };
  return {
    events,
    /** @param names the entry that the event names; undefined for an event without a signature */
    write: async (by: Signer | undefined, names: EntryId | undefined, parents: Head): Promise<Cid> => {
      const value = cidOf(RAW, utf8(`value ${n++}`));
      const event = { operations: [{ key: 'a', value }], root: value, parents };
      if (by === undefined) return put(event);
      const name = names === undefined ? new Uint8Array(16) : Uint8Array.from(Buffer.from(names, 'hex'));
      return put(await signedEvent(event, n, by, name.subarray(0, 16)));
    },
    put,
  };
}
export type EventWorld = ReturnType<typeof eventWorld>;

/** Returns events and all their ancestors. */
export function closureOf({ events }: EventWorld, starts: Iterable<Cid>): Set<Cid> {
  const found = new Set<Cid>();
  const open = [...starts];
  for (let cid = open.pop(); cid !== undefined; cid = open.pop()) {
    if (found.has(cid)) continue;
    found.add(cid);
    for (const parent of events.get(cid)?.parents ?? []) open.push(parent);
  }
  return found;
}

export function testReceiver(world: EventWorld, signer: Signer, rows = new Map<string, Uint8Array>()) {
  const here = new Set<Cid>();
  const pending = new Set<Cid>();
  const sent = new Set<Cid>();
  const reports: { code?: string }[] = [];
  const clock = { now: 0 };
  let head: Head = sortHead([]);
  let followed: Followed | undefined;
  let own: Uint8Array | undefined;
  let fault = false;
  let lacksBlocks = false;
  const remote = { hasBlocks: true };

  const readerOf =
    (known: ReadonlySet<Cid>): ReadEvent =>
    async (cid) => {
      const event = known.has(cid) ? world.events.get(cid) : undefined;
      if (event === undefined) throw new FixpointError('MISSING_BLOCK', cid);
      return event;
    };
  /** Writes an event of this device on top of its head. */
  async function write(by: Signer | undefined, names: EntryId | undefined): Promise<Cid> {
    const cid = await world.write(by, names, head);
    here.add(cid);
    pending.add(cid);
    head = sortHead([cid]);
    return cid;
  }
  const commits = {
    readers: { event: readerOf(here) },
    snapshot: () => ({ head }),
    refresh: async () => false,
    archiveOf: (event: Cid) => (here.has(event) ? event : undefined),
    pendingUploads: async () => [...pending],
    local: { read: async (name: string) => (name === OWN_ROW ? own : undefined) },
    remembered: async (prefix: string) => new Map([...rows].filter(([key]) => key.startsWith(prefix))),
    mergeRemote: async (merge: RemoteMerge) => {
      if (merge.vouches) return void (await write(signer, followed?.view.membership.heads[0]));
      const all = new Set([...here, ...closureOf(world, merge.head)]);
      const read = readerOf(all);
      const tools = { read, archiveOf: (event: Cid) => event };
      // Another tab may move the head first, so this is done twice.
      await merge.accept?.(head, merge.head, tools);
      const accepted = await merge.accept?.(head, merge.head, tools);
      const next = accepted?.head ?? (await mergeHeads(head, merge.head, read));
      if (fault) throw new FixpointError('STORE_FAILED');
      if (lacksBlocks) throw new FixpointError('MISSING_BLOCK', 'dropped');
      for (const cid of all) here.add(cid);
      for (const { key, bytes } of accepted?.rows ?? [])
        if (bytes === undefined) rows.delete(key);
        else rows.set(key, bytes);
      head = next;
      accepted?.stored();
    },
  } as unknown as Commits;
  const create = () =>
    new Acceptance({
      ...{ commits, remote: 'remote/r', prefix: 'remote/r/secret/', rows },
      followed: () => followed,
      start: () => START,
      signer: async () => signer,
      now: () => clock.now,
      save: async (changes) => {
        for (const { key, bytes } of changes) if (bytes !== undefined) rows.set(key, bytes);
      },
      report: (error) => void reports.push(error as { code?: string }),
      refresh: () => undefined,
      withDropped: async (missing, merge) => {
        if (!remote.hasBlocks) throw missing;
        lacksBlocks = false;
        await merge({ head: sortHead([]), archives: [], remember: [] });
      },
    });
  let acceptance = create();
  return {
    ...{ rows, reports, clock, write, remote },
    /** Drops the blocks that an earlier head needs. */
    compact: () => {
      lacksBlocks = true;
    },
    head: () => head,
    withheld: () => acceptance.withheld(),
    /** Stops and starts the device, which keeps its rows. */
    restart: () => {
      acceptance = create();
    },
    failWrites: (isFailing: boolean) => {
      fault = isFailing;
    },
    /** Sends everything. @param isMerged whether a compaction then merges the archives */
    send: (isMerged = false) => {
      if (!isMerged) for (const cid of pending) sent.add(cid);
      pending.clear();
    },
    /** Sends an archive of somebody else again, because the server claims that it is lost. */
    sendAgain: (cid: Cid) => void sent.add(cid),
    vouch: () => acceptance.vouch(),
    adopt: (event: Cid) => acceptance.adopt(event),
    hasAdopted: (event: Cid) => acceptance.hasAdopted(event),
    unconfirmed: () => [...new Set(acceptance.unconfirmed().map(({ member }) => member))],
    confirm: () => acceptance.confirm(acceptance.unconfirmed()),
    requireConfirmed: () => acceptance.requireConfirmed(),
    receive: (...cids: Cid[]) =>
      acceptance.merge({ head: sortHead(cids), archives: [], remember: [] } as RemoteMerge),
    /** Learns the entries of the log. */
    follow: async (entries: readonly LogEntry[]) => {
      // A device stores its own events when it sees a log for the first time.
      own ??= encodeOwn(await ownUnsigned({ commits, hasSent: (archive) => sent.has(archive) }));
      followed = { view: { membership: evaluate(entries, START) } } as unknown as Followed;
      await acceptance.revise();
    },
    revise: () => acceptance.revise(),
  };
}

export const [founder, writer, reader, stranger] = (await Promise.all(
  ['F', 'W', 'R', 'X'].map(signerNamed),
)) as [Signer, Signer, Signer, Signer];

/** A founder, a writer and a reader, and the events of all. */
export function team() {
  const { log, F } = signedTestLog(founder);
  const W = admit(log, keyOf(writer), 'write', F);
  const R = admit(log, keyOf(reader), 'read', F);
  const world = eventWorld();
  return { log, F, W, R, world };
}

/** A team, and a device of the founder that follows the log. */
export async function followed() {
  const made = team();
  const device = testReceiver(made.world, founder);
  await device.follow(made.log.entries);
  return { ...made, device };
}
