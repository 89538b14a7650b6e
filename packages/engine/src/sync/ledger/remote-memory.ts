/**
 * The rows that a database keeps about a remote. One row for each fact, so that tabs which sync
 * concurrently only ever add to it:
 * - `remote/<id>/group/<first archive>`: JSON `{v: 1, cids, at, state, bytes, merged}`, an archive
 * group that the remote holds and whose blocks this database has: `bytes` is the length of its
 * archives, if known; `merged` says that its head was merged, which other devices that name the
 * group may not have done; `state` is `live`, or `part` while no meta names the group yet, or
 * `replaced` when a compaction of some replica made it superfluous; `skipped` was replaced before
 * this database fetched it;
 * - `remote/<id>/claim/<archive>`: CID texts; the head that an entry claims for the group of this
 * archive, merged without reading the group;
 * - `remote/<id>/sent/<archive>`: an archive of this database, all blocks of which the remote
 * holds; JSON `[CID text]` of the uploaded archives that hold them, or no bytes if unknown;
 * - `remote/<id>/file/<archive>`: no bytes; a file archive that the remote holds;
 * - `remote/<id>/name/<archive>`: 32 bytes, the name of an archive at a sealed ledger;
 * - `remote/<id>/seen`: JSON `[CID text]`, the newest head seen at a sealed ledger;
 * - `remote/<id>/kind`: `open-key` or `sealed`; `remote/<id>/wanted`: the kind that the application
 * requested before the remote had shown one;
 * - `remote/<id>/secret/...`: the keys of a sealed ledger (`crypto/ledger-keys.ts`).
 */
import { FixpointError } from '@fixpoint/protocol';
import { textOf, utf8 } from '../../base/bytes.ts';
import { type Head, sortHead } from '../../clock/event.ts';
import { type Cid, parseCid } from '../../codec/cid.ts';
import { sha256 } from '../../codec/sha256.ts';
import type { StoreChange } from '../../ports/byte-store.ts';
import { SMALL_BYTES } from '../../store/archive-tiers.ts';
import { nameIn, remoteKey } from '../../store/names.ts';
import type { ArchiveGroup, LedgerKind } from './ledger-sealing.ts';

export type GroupState = 'live' | 'part' | 'replaced' | 'skipped';

const VERSION = 1;
const NOTHING = new Uint8Array();

interface GroupRow {
  readonly cids: ArchiveGroup;
  /** When this device learned of it, in ms since 1970: headers list the newest first. */
  readonly at: number;
  readonly state: GroupState;
  readonly bytes: number | undefined;
  readonly merged: boolean;
}

export interface RemoteMemory {
  /** Prefix of all rows. */
  readonly prefix: string;
  /**
   * Replaces the memory with the stored rows, keeping what is learned during the read.
   * @throws FixpointError CORRUPT, FORMAT_NEWER
   */
  load(read: () => Promise<ReadonlyMap<string, Uint8Array>>): Promise<void>;
  /** Updates the memory. Call it once the rows are durable. */
  learned(rows: readonly StoreChange[]): void;
  /** Whether the group needs no fetch. */
  knows(group: ArchiveGroup): boolean;
  /**
   * Whether the head of the group needs no reading.
   * @param claimed the head that an entry claims
   */
  hasMerged(group: ArchiveGroup, claimed: Head): boolean;
  /** Whether both the remote and this database hold all blocks of this archive. */
  holds(archive: Cid): boolean;
  /** Returns the groups that a header must name, newest first. */
  groups(): readonly ArchiveGroup[];
  groupsIn(state: GroupState): readonly ArchiveGroup[];
  /** Returns live groups worth merging, as far as is known, newest first. */
  smallGroups(): readonly ArchiveGroup[];
  isSmall(group: ArchiveGroup): boolean;
  /** Returns the length of its archives, if known. */
  bytesOf(group: ArchiveGroup): number | undefined;
  /** Returns when this device learned of the oldest group. */
  knownSince(): number | undefined;
  /** Records the length of an archive; it becomes durable with the next row of its group. */
  sized(archive: Cid, bytes: number): void;
  sentArchives(): readonly Cid[];
  /** Returns archives that the remote holds, as far as this database knows. */
  heldArchives(): readonly Cid[];
  heldFiles(): readonly Cid[];
  /** Files that were named to the remote with an entry since it last listed everything. */
  readonly toldFiles: Set<Cid>;
  /** Whether the remote holds this file archive. */
  holdsFile(archive: Cid): boolean;
  /** Returns the name of an archive at a sealed ledger. */
  nameOf(archive: Cid): Uint8Array | undefined;
  /** Records a name; it becomes durable with the next row of its archive. */
  named(archive: Cid, name: Uint8Array): void;
  /** Returns file archives that the remote holds under a name. */
  namedFiles(): readonly Cid[];
  /** Returns the kind that the remote showed, or that this device gave the ledger. */
  kind(): LedgerKind | undefined;
  /** Returns the kind that the application last requested while {@link kind} was unknown. */
  wantedKind(): LedgerKind | undefined;
  rowsOfKind(row: 'kind' | 'wanted', kind: LedgerKind): StoreChange[];
  /** Returns the newest head seen at the remote; empty if there was none. */
  seen(): Head;
  rowsOfSeen(head: Head): StoreChange[];
  /**
   * Records that an archive came from the remote, which therefore has it, even if it is removed
   * here.
   */
  given(archive: Cid): void;
  hasGiven(archive: Cid): boolean;
  /** Records a group being sent: it needs no fetch when the remote lists it. */
  expect(group: ArchiveGroup): void;
  rowsOfGroups(groups: readonly ArchiveGroup[], state: 'live' | 'part', at: number): StoreChange[];
  /** Returns the rows of a group whose head was merged. */
  rowsOfMerged(group: ArchiveGroup, at: number): StoreChange[];
  /**
   * Returns the row of a claimed head that was merged. Another entry may claim a different head for
   * the same group.
   */
  rowsOfClaim(group: ArchiveGroup, claimed: Head): StoreChange[];
  rowsOfReplaced(groups: readonly ArchiveGroup[], at: number): StoreChange[];
  /** @param carriers the uploaded archives that hold their blocks, if known */
  rowsOfSent(archives: readonly Cid[], carriers?: readonly Cid[]): StoreChange[];
  /**
   * Returns the rows that forget archives and files that the remote lost, so that their content is
   * sent again.
   */
  rowsOfLost(archives: readonly Cid[], files: readonly Cid[], at: number): StoreChange[];
  /** Forgets that archives came from the remote or are being sent to it. */
  forget(archives: readonly Cid[]): void;
  rowsOfFiles(archives: readonly Cid[]): StoreChange[];
  rowsOfGone(archives: readonly Cid[]): StoreChange[];
}

/** Returns the id of a remote, the same in every tab and after each start. */
export function remoteIdOf(gateway: URL, tenant: string, ledger: string): string {
  const hash = sha256(utf8(JSON.stringify([gateway.origin, tenant, ledger])));
  return Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const textOfGroup = (group: ArchiveGroup): string => group.join();

export function createRemoteMemory(remoteId: string): RemoteMemory {
  const prefix = `${remoteKey(remoteId)}/`;
  const groupPrefix = `${prefix}group/`;
  const claimPrefix = `${prefix}claim/`;
  const sentPrefix = `${prefix}sent/`;
  const filePrefix = `${prefix}file/`;
  const namePrefix = `${prefix}name/`;
  const kindKey = `${prefix}kind`;
  const wantedKey = `${prefix}wanted`;
  const seenKey = `${prefix}seen`;
  const groups = new Map<string, GroupRow>();
  const claims = new Map<string, string>();
  const archives = new Set<Cid>();
  const sent = new Map<Cid, Uint8Array>();
  const files = new Set<Cid>();
  const names = new Map<Cid, Uint8Array>();
  const sizes = new Map<Cid, number>();
  let kind: LedgerKind | undefined;
  let wantedKind: LedgerKind | undefined;
  let seen = sortHead([]);
  const expected = new Set<string>();
  const given = new Set<Cid>();
  let learnings = 0;

  function take(key: string, bytes: Uint8Array | undefined): void {
    if (key.startsWith(sentPrefix)) {
      const cid = parseCid(nameIn(sentPrefix, key));
      if (bytes === undefined) sent.delete(cid);
      else sent.set(cid, bytes);
    } else if (key.startsWith(filePrefix)) {
      const cid = parseCid(nameIn(filePrefix, key));
      if (bytes === undefined) files.delete(cid);
      else files.add(cid);
    } else if (key.startsWith(namePrefix) && bytes !== undefined) {
      names.set(parseCid(nameIn(namePrefix, key)), bytes);
    } else if (key.startsWith(claimPrefix) && bytes !== undefined) {
      claims.set(key, textOf(bytes));
    } else if (key === seenKey && bytes !== undefined) {
      seen = decodeSeen(bytes);
    } else if (key === kindKey && bytes !== undefined) {
      kind = decodeKind(bytes);
    } else if (key === wantedKey && bytes !== undefined) {
      wantedKind = decodeKind(bytes);
    } else if (key.startsWith(groupPrefix) && bytes !== undefined) {
      const row = decodeGroup(bytes);
      groups.set(textOfGroup(row.cids), row);
      if (row.state !== 'skipped') for (const cid of row.cids) archives.add(cid);
    } else if (key.startsWith(groupPrefix)) forgetGroup(parseCid(nameIn(groupPrefix, key)));
  }

  function forgetGroup(first: Cid): void {
    for (const [text, { cids }] of groups)
      if (cids[0] === first) {
        groups.delete(text);
        for (const cid of cids) archives.delete(cid);
      }
  }

  const inState = (...states: readonly GroupState[]) =>
    [...groups.values()]
      .filter(({ state }) => states.includes(state))
      .sort((a, b) => b.at - a.at)
      .map(({ cids }) => cids);

  const rowsOfNames = (list: readonly Cid[]): StoreChange[] =>
    list.flatMap((cid) => {
      const name = names.get(cid);
      return name === undefined ? [] : [{ key: namePrefix + cid, bytes: name }];
    });

  const bytesOf = (cids: ArchiveGroup): number | undefined => {
    const [first] = cids;
    const noted = cids.length === 1 && first !== undefined ? sizes.get(first) : undefined;
    return noted ?? groups.get(textOfGroup(cids))?.bytes;
  };

  /** A group of several archives was larger than the threshold. */
  const isSmall = (cids: ArchiveGroup) => cids.length === 1 && (bytesOf(cids) ?? 0) < SMALL_BYTES;

  const stateOf = (cids: ArchiveGroup) => groups.get(textOfGroup(cids))?.state;

  const rowOf = (cids: ArchiveGroup, state: GroupState, at: number, isMerged = false): StoreChange[] => {
    const [first] = cids;
    if (first === undefined) return [];
    const known = groups.get(textOfGroup(cids));
    const merged = isMerged || known?.merged;
    const row = { v: VERSION, cids, at: known?.at ?? at, state, bytes: bytesOf(cids), merged };
    return [{ key: groupPrefix + first, bytes: utf8(JSON.stringify(row)) }, ...rowsOfNames(cids)];
  };

  return {
    prefix,
    load: async (read) => {
      let before = learnings;
      let rows = await read();
      for (; before !== learnings; rows = await read()) before = learnings;
      groups.clear();
      archives.clear();
      sent.clear();
      files.clear();
      for (const [key, bytes] of rows) take(key, bytes);
    },
    learned: (rows) => {
      learnings += 1;
      for (const { key, bytes } of rows) take(key, bytes);
    },
    knows: (group) => groups.has(textOfGroup(group)) || expected.has(textOfGroup(group)),
    hasMerged: (group, claimed) =>
      groups.get(textOfGroup(group))?.merged === true ||
      expected.has(textOfGroup(group)) ||
      claims.get(claimPrefix + group[0]) === claimed.join(),
    holds: (archive) => sent.has(archive) || archives.has(archive),
    groups: () => inState('live', 'part'),
    groupsIn: (state) => inState(state),
    smallGroups: () => inState('live').filter(isSmall),
    isSmall,
    bytesOf,
    knownSince: () => {
      let oldest: number | undefined;
      for (const { at } of groups.values()) if (oldest === undefined || at < oldest) oldest = at;
      return oldest;
    },
    sized: (archive, bytes) => void sizes.set(archive, bytes),
    sentArchives: () => [...sent.keys()],
    heldArchives: () => [...archives],
    heldFiles: () => [...files],
    toldFiles: new Set(),
    holdsFile: (archive) => files.has(archive),
    nameOf: (archive) => names.get(archive),
    named: (archive, name) => void names.set(archive, name),
    namedFiles: () => [...files].filter((cid) => names.has(cid)),
    kind: () => kind,
    wantedKind: () => wantedKind,
    rowsOfKind: (row, value) => [{ key: `${prefix}${row}`, bytes: utf8(value) }],
    seen: () => seen,
    rowsOfSeen: (head) => (kind === 'sealed' ? [{ key: seenKey, bytes: utf8(JSON.stringify(head)) }] : []),
    given: (archive) => void given.add(archive),
    hasGiven: (archive) => given.has(archive),
    expect: (group) => void expected.add(textOfGroup(group)),
    rowsOfGroups: (list, state, at) => list.flatMap((cids) => rowOf(cids, state, at)),
    rowsOfMerged: (cids, at) => {
      const known = stateOf(cids);
      // Another group holds its blocks, as far as is known: headers need not name it.
      return rowOf(cids, known === 'skipped' || known === 'replaced' ? 'replaced' : 'live', at, true);
    },
    rowsOfClaim: ([first], claimed) => [{ key: `${claimPrefix}${first}`, bytes: utf8(claimed.join()) }],
    rowsOfReplaced: (list, at) =>
      list.flatMap((cids) => {
        const known = stateOf(cids);
        return rowOf(cids, known === undefined || known === 'skipped' ? 'skipped' : 'replaced', at);
      }),
    rowsOfSent: (list, carriers) => [
      ...list.map((cid) => ({
        key: sentPrefix + cid,
        bytes: carriers === undefined ? NOTHING : utf8(JSON.stringify(carriers)),
      })),
      ...rowsOfNames(list),
    ],
    rowsOfFiles: (list) => [
      ...list.map((cid) => ({ key: filePrefix + cid, bytes: NOTHING })),
      ...rowsOfNames(list),
    ],
    rowsOfLost: (list, lostFiles, at) => {
      const lost = new Set(list);
      const isLost = (cids: ArchiveGroup) => cids.some((cid) => lost.has(cid));
      const rows: StoreChange[] = lostFiles.map((cid) => ({ key: filePrefix + cid, bytes: undefined }));
      let isNamed = false;
      for (const { cids, state } of groups.values()) {
        if (!isLost(cids)) continue;
        isNamed ||= state === 'live' || state === 'part';
        rows.push({ key: `${groupPrefix}${cids[0]}`, bytes: undefined });
      }
      if (!isNamed) return rows;
      // Groups that were merged into a lost group are needed again.
      for (const cids of inState('replaced'))
        if (!isLost(cids)) for (const row of rowOf(cids, 'live', at)) rows.push(row);
      for (const [cid, carriers] of sent)
        if (carriers.length === 0 || list.some((one) => textOf(carriers).includes(one)))
          rows.push({ key: sentPrefix + cid, bytes: undefined });
      return rows;
    },
    forget: (list) => {
      for (const cid of list) given.delete(cid);
      for (const text of expected) if (list.some((cid) => text.includes(cid))) expected.delete(text);
    },
    rowsOfGone: (list) => list.map((cid) => ({ key: sentPrefix + cid, bytes: undefined })),
  };
}

function decodeGroup(bytes: Uint8Array): GroupRow {
  let row: Readonly<Record<keyof GroupRow | 'v', unknown>>;
  try {
    row = JSON.parse(textOf(bytes)) as typeof row;
  } catch (cause) {
    throw new FixpointError('CORRUPT', 'row of a remote', { cause });
  }
  const { v, cids, at, state } = row;
  if (v !== VERSION) throw new FixpointError('FORMAT_NEWER', 'row of a remote');
  if (!Array.isArray(cids) || typeof at !== 'number' || !isGroupState(state))
    throw new FixpointError('CORRUPT', 'row of a remote');
  const length = typeof row.bytes === 'number' ? row.bytes : undefined;
  return { cids: cids.map(parseCid), at, state, bytes: length, merged: row.merged === true };
}

/** Decodes the seen head. @throws FixpointError CORRUPT */
function decodeSeen(bytes: Uint8Array): Head {
  try {
    return sortHead((JSON.parse(textOf(bytes)) as unknown[]).map(parseCid));
  } catch (cause) {
    throw new FixpointError('CORRUPT', 'row of a remote', { cause });
  }
}

/** @throws FixpointError CORRUPT */
function decodeKind(bytes: Uint8Array): LedgerKind {
  const text = textOf(bytes);
  if (text === 'open-key' || text === 'sealed') return text;
  throw new FixpointError('CORRUPT', 'kind of a ledger');
}

const isGroupState = (value: unknown): value is GroupState =>
  value === 'live' || value === 'part' || value === 'replaced' || value === 'skipped';
