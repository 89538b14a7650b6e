/**
 * The rows that a database keeps about a remote. Each fact has its own row, so that tabs which sync
 * concurrently only add rows:
 *
 * - `remote/<id>/group/<first archive>`: JSON `{v: 1, cids, at, state, bytes, merged}`, an
 *   archive group that the remote has, and whose blocks this database has. `bytes` is the length of
 *   its archives, if known. `merged` is set once this database merged the head of the group. A
 *   group that another device named may still have an unmerged head. `state` is one of:
 *     - `live`
 *     - `part` while no meta names the group yet
 *     - `replaced` when a compaction of some replica made it superfluous
 *     - `skipped` when it was replaced before this database fetched it
 * - `remote/<id>/claim/<archive>`: CID texts; the head that an entry claims for the group of this
 *   archive, merged without reading the group
 * - `remote/<id>/sent/<archive>`: an archive of this database whose blocks are all at the remote;
 *   JSON `[CID text]` of the uploaded archives that hold them, or no bytes if unknown
 * - `remote/<id>/file/<archive>`: no bytes; a file archive that the remote holds
 * - `remote/<id>/name/<archive>`: 32 bytes, the name of an archive at a sealed ledger
 * - `remote/<id>/seen`: JSON `[CID text]`, the newest head seen at a sealed ledger
 * - `remote/<id>/kind`: `open-key` or `sealed`
 * - `remote/<id>/wanted`: the kind that the application requested before the remote had shown the
 *   kind of the ledger
 * - `remote/<id>/secret/...`: the keys of a sealed ledger (`crypto/ledger-keys.ts`), and the id of
 *   its membership log (`secret/log`)
 */
import { FixpointError } from '@fixpoint/protocol';
import { textOf, utf8 } from '../../base/bytes.ts';
import { type Head, sortHead } from '../../clock/event.ts';
import { type Cid, parseCid } from '../../codec/cid.ts';
import { sha256 } from '../../codec/sha256.ts';
import type { Commits } from '../../commit/commits-interface.ts';
import type { StoreChange } from '../../ports/byte-store.ts';
import { remoteKey } from '../../store/names.ts';
import { createGroupMemory, type GroupMemory } from './group-memory.ts';
import type { LedgerKind } from './ledger-sealing.ts';

const NOTHING = new Uint8Array();

export interface RemoteMemory extends GroupMemory {
  /** Prefix of the keys of all rows. */
  readonly prefix: string;
  /**
   * Replaces the memory with the stored rows, keeping what is learned during the read.
   * @throws FixpointError CORRUPT, FORMAT_NEWER
   */
  load(read: () => Promise<ReadonlyMap<string, Uint8Array>>): Promise<void>;
  /** Updates the memory with these rows. Call this method once the rows are durable. */
  learned(rows: readonly StoreChange[]): void;
  /** Returns whether both the remote and this database hold all blocks of this archive. */
  holds(archive: Cid): boolean;
  sentArchives(): readonly Cid[];
  /**
   * Returns the `sent` row of an archive, which names the uploaded archives that contain its
   * blocks. The row is empty if those are unknown.
   */
  sentRow(archive: Cid): Uint8Array | undefined;
  heldFiles(): readonly Cid[];
  /** Files that an entry named to the remote since the remote's last complete listing. */
  readonly toldFiles: Set<Cid>;
  /** Returns whether the remote holds this file archive. */
  holdsFile(archive: Cid): boolean;
  /** Returns the name of an archive at a sealed ledger. */
  nameOf(archive: Cid): Uint8Array | undefined;
  /**
   * Records a name. It becomes durable with the next rows about any archives: an archive tells the
   * names of files once, and files have no rows before they are fetched.
   */
  named(archive: Cid, name: Uint8Array): void;
  /** Returns the kind that the remote showed, or that this device gave the ledger. */
  kind(): LedgerKind | undefined;
  /** Returns the kind that the application last requested before {@link kind} was known. */
  wantedKind(): LedgerKind | undefined;
  rowsOfKind(row: 'kind' | 'wanted', kind: LedgerKind): StoreChange[];
  /** Returns the newest head that this device has seen at the remote; empty if it has seen none. */
  seen(): Head;
  rowsOfSeen(head: Head): StoreChange[];
  /**
   * Records that an archive was received from the remote. The remote has the archive even after
   * this device removes it.
   */
  given(archive: Cid): void;
  hasGiven(archive: Cid): boolean;
  /** @param carriers the uploaded archives that contain the blocks of `archives`, if known */
  rowsOfSent(archives: readonly Cid[], carriers?: readonly Cid[]): StoreChange[];
  /** Forgets that archives were received from the remote or are being sent to it. */
  forget(archives: readonly Cid[]): void;
  rowsOfFiles(archives: readonly Cid[]): StoreChange[];
  rowsOfGone(archives: readonly Cid[]): StoreChange[];
}

/**
 * Stores rows durably, then updates the memory with them.
 * @param uploaded archives that no longer wait for upload
 */
export async function remember(
  { commits, memory }: { readonly commits: Commits; readonly memory: RemoteMemory },
  rows: readonly StoreChange[],
  uploaded: readonly Cid[] = [],
): Promise<void> {
  await commits.markUploaded(uploaded, rows);
  memory.learned(rows);
}

/** Returns the id of a remote, which is the same in every tab and after each start. */
export function remoteIdOf(gateway: URL, tenant: string, ledger: string): string {
  const hash = sha256(utf8(JSON.stringify([gateway.origin, tenant, ledger])));
  return Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function createRemoteMemory(remoteId: string): RemoteMemory {
  const prefix = `${remoteKey(remoteId)}/`;
  const sent = new Map<Cid, Uint8Array>();
  const files = new Map<Cid, Uint8Array>();
  const names = new Map<Cid, Uint8Array>();
  const unstored = new Set<Cid>();
  const maps: Readonly<Record<string, Map<Cid, Uint8Array>>> = { sent, file: files, name: names };
  const given = new Set<Cid>();
  const kinds = new Map<string, LedgerKind>();
  let seen = sortHead([]);
  let learnings = 0;

  const rowsOf = (row: string, list: readonly Cid[], bytes: Uint8Array | undefined): StoreChange[] =>
    list.map((cid) => ({ key: `${prefix}${row}/${cid}`, bytes }));
  const rowsOfNames = (list: readonly Cid[]) =>
    [...new Set([...list, ...unstored])]
      .filter((cid) => names.has(cid))
      .flatMap((cid) => rowsOf('name', [cid], names.get(cid)));
  const groups = createGroupMemory(prefix, rowsOfNames);

  function take(key: string, bytes: Uint8Array | undefined): void {
    const [row = '', name = ''] = key.slice(prefix.length).split('/');
    const known = maps[row];
    if (row === 'name') unstored.delete(name as Cid);
    if (row === 'group') groups.take(name, bytes);
    else if (known !== undefined && bytes === undefined) known.delete(parseCid(name));
    else if (bytes === undefined) return;
    else if (known !== undefined) known.set(parseCid(name), bytes);
    else if (row === 'claim') groups.takeClaim(parseCid(name), bytes);
    else if (row === 'seen') seen = decodeSeen(bytes);
    else if (row === 'kind' || row === 'wanted') kinds.set(row, decodeKind(bytes));
  }

  return {
    ...groups.memory,
    prefix,
    load: async (read) => {
      let before = learnings;
      let rows = await read();
      for (; before !== learnings; rows = await read()) before = learnings;
      groups.clear();
      sent.clear();
      files.clear();
      for (const [key, bytes] of rows) take(key, bytes);
    },
    learned: (rows) => {
      learnings += 1;
      for (const { key, bytes } of rows) take(key, bytes);
    },
    holds: (archive) => sent.has(archive) || groups.holds(archive),
    sentArchives: () => [...sent.keys()],
    sentRow: (archive) => sent.get(archive),
    heldFiles: () => [...files.keys()],
    toldFiles: new Set(),
    holdsFile: (archive) => files.has(archive),
    nameOf: (archive) => names.get(archive),
    named: (archive, name) => {
      names.set(archive, name);
      unstored.add(archive);
    },
    kind: () => kinds.get('kind'),
    wantedKind: () => kinds.get('wanted'),
    rowsOfKind: (row, value) => [{ key: prefix + row, bytes: utf8(value) }],
    seen: () => seen,
    rowsOfSeen: (head) =>
      kinds.get('kind') === 'sealed' ? [{ key: `${prefix}seen`, bytes: utf8(JSON.stringify(head)) }] : [],
    given: (archive) => void given.add(archive),
    hasGiven: (archive) => given.has(archive),
    rowsOfSent: (list, carriers) => [
      ...rowsOf('sent', list, carriers === undefined ? NOTHING : utf8(JSON.stringify(carriers))),
      ...rowsOfNames(list),
    ],
    rowsOfFiles: (list) => [...rowsOf('file', list, NOTHING), ...rowsOfNames(list)],
    forget: (list) => {
      for (const cid of list) given.delete(cid);
      groups.forgetExpected(list);
    },
    rowsOfGone: (list) => rowsOf('sent', list, undefined),
  };
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
