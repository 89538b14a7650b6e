/** Remembers the archive groups that a remote has. `RemoteMemory` includes this memory. */
import { FixpointError } from '@fixpoint/protocol';
import { textOf, utf8 } from '../../base/bytes.ts';
import type { Head } from '../../clock/event.ts';
import { type Cid, parseCid } from '../../codec/cid.ts';
import type { StoreChange } from '../../ports/byte-store.ts';
import { SMALL_BYTES } from '../../store/archive-tiers.ts';
import type { ArchiveGroup } from './ledger-sealing.ts';

type GroupState = 'live' | 'part' | 'replaced' | 'skipped';

const VERSION = 1;

interface GroupRow {
  readonly cids: ArchiveGroup;
  /**
   * When this device learned of the group, in ms since 1970. Headers list the newest groups first.
   */
  readonly at: number;
  readonly state: GroupState;
  readonly bytes: number | undefined;
  readonly merged: boolean;
}

export interface GroupMemory {
  /** Returns whether the group needs no fetch. */
  knows(group: ArchiveGroup): boolean;
  /**
   * Returns whether the head of the group was merged, so that the group need not be read.
   * @param claimed the head that an entry claims
   */
  hasMerged(group: ArchiveGroup, claimed: Head): boolean;
  allGroups(): readonly GroupRow[];
  /** Returns the groups that a header must name, newest first. */
  groups(): readonly ArchiveGroup[];
  groupsIn(state: GroupState): readonly ArchiveGroup[];
  /** Returns live groups that seem small enough to be worth merging, newest first. */
  smallGroups(): readonly ArchiveGroup[];
  isSmall(group: ArchiveGroup): boolean;
  /** Returns the length of the group's archives, if known. */
  bytesOf(group: ArchiveGroup): number | undefined;
  /**
   * Records the length of an archive. The length becomes durable with the next row of its group.
   */
  sized(archive: Cid, bytes: number): void;
  /** Returns the archives that the remote has, as far as this database knows. */
  heldArchives(): readonly Cid[];
  /** Records a group that is being sent. When the remote lists the group, it needs no fetch. */
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
}

/** The memory, and the functions that fill it from rows. */
interface GroupRows {
  readonly memory: GroupMemory;
  /** Returns whether some group contains this archive. */
  readonly holds: (archive: Cid) => boolean;
  /**
   * Records the row of a group; without a row, forgets the group.
   * @throws FixpointError CORRUPT, FORMAT_NEWER
   */
  readonly take: (first: string, row: Uint8Array | undefined) => void;
  readonly takeClaim: (first: Cid, row: Uint8Array) => void;
  /** Forgets all rows, before they are read again. */
  readonly clear: () => void;
  /** Forgets that groups with these archives are being sent. */
  readonly forgetExpected: (archives: readonly Cid[]) => void;
}

/** Creates the recorded groups, and the set of archives that they contain. */
function createGroups() {
  const groups = new Map<string, GroupRow>();
  const archives = new Set<Cid>();

  function hold({ cids, state }: GroupRow): void {
    if (state !== 'skipped') for (const cid of cids) archives.add(cid);
  }

  return {
    groups,
    archives,
    get: (cids: ArchiveGroup) => groups.get(cids.join()),
    inState: (...states: readonly GroupState[]) =>
      [...groups.values()]
        .filter(({ state }) => states.includes(state))
        .sort((a, b) => b.at - a.at)
        .map(({ cids }) => cids),
    take: (first: string, bytes: Uint8Array | undefined): void => {
      if (bytes !== undefined) {
        const row = decodeGroup(bytes);
        groups.set(row.cids.join(), row);
        hold(row);
        return;
      }
      for (const [text, { cids }] of groups) if (cids[0] === first) groups.delete(text);
      // Another group may contain archives of the forgotten group.
      archives.clear();
      for (const row of groups.values()) hold(row);
    },
  };
}

/** @param rowsOfNames returns the rows that name these archives at a sealed ledger */
export function createGroupMemory(
  prefix: string,
  rowsOfNames: (archives: readonly Cid[]) => StoreChange[],
): GroupRows {
  const { groups, archives, get, inState, take } = createGroups();
  const claims = new Map<Cid | undefined, string>();
  const expected = new Set<string>();
  const sizes = new Map<Cid, number>();

  const bytesOf = (cids: ArchiveGroup): number | undefined => {
    const [first] = cids;
    const noted = cids.length === 1 && first !== undefined ? sizes.get(first) : undefined;
    return noted ?? get(cids)?.bytes;
  };

  /** A group has several archives only if it was larger than the threshold. */
  const isSmall = (cids: ArchiveGroup) => cids.length === 1 && (bytesOf(cids) ?? 0) < SMALL_BYTES;

  const rowsOf = (cids: ArchiveGroup, state: GroupState, at: number, isMerged = false): StoreChange[] => {
    const [first] = cids;
    if (first === undefined) return [];
    const known = get(cids);
    const merged = isMerged || known?.merged;
    const row = { v: VERSION, cids, at: known?.at ?? at, state, bytes: bytesOf(cids), merged };
    return [{ key: `${prefix}group/${first}`, bytes: utf8(JSON.stringify(row)) }, ...rowsOfNames(cids)];
  };

  const memory: GroupMemory = {
    knows: (group) => get(group) !== undefined || expected.has(group.join()),
    hasMerged: (group, claimed) =>
      get(group)?.merged === true || expected.has(group.join()) || claims.get(group[0]) === claimed.join(),
    allGroups: () => [...groups.values()],
    groups: () => inState('live', 'part'),
    groupsIn: (state) => inState(state),
    smallGroups: () => inState('live').filter(isSmall),
    isSmall,
    bytesOf,
    sized: (archive, bytes) => void sizes.set(archive, bytes),
    heldArchives: () => [...archives],
    expect: (group) => void expected.add(group.join()),
    rowsOfGroups: (list, state, at) => list.flatMap((cids) => rowsOf(cids, state, at)),
    rowsOfMerged: (cids, at) => {
      const known = get(cids)?.state;
      // As far as this device knows, another group has the blocks of a replaced or skipped group,
      // so headers need not name that group.
      return rowsOf(cids, known === 'skipped' || known === 'replaced' ? 'replaced' : 'live', at, true);
    },
    rowsOfClaim: ([first], claimed) => [{ key: `${prefix}claim/${first}`, bytes: utf8(claimed.join()) }],
    rowsOfReplaced: (list, at) =>
      list.flatMap((cids) => {
        const known = get(cids)?.state;
        return rowsOf(cids, known === undefined || known === 'skipped' ? 'skipped' : 'replaced', at);
      }),
  };
  return {
    memory,
    holds: (archive) => archives.has(archive),
    take,
    takeClaim: (first, row) => void claims.set(first, textOf(row)),
    clear: () => {
      groups.clear();
      claims.clear();
      archives.clear();
    },
    forgetExpected: (list) => {
      for (const text of expected) if (list.some((cid) => text.includes(cid))) expected.delete(text);
    },
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

const isGroupState = (value: unknown): value is GroupState =>
  value === 'live' || value === 'part' || value === 'replaced' || value === 'skipped';
