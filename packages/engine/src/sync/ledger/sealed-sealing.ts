/** The sealed kind of ledger: `docs/internals/sealed-ledgers.md`. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import { scanCar } from '../../archive/car.ts';
import { type Head, sortHead } from '../../clock/event.ts';
import { encodeBlock } from '../../codec/block.ts';
import { CAR, type Cid, cidOf, cidOfLong, RAW } from '../../codec/cid.ts';
import { asArray, decodeMap, encode, link, linkCid } from '../../codec/dag-cbor.ts';
import type { LedgerKeys } from '../../crypto/ledger-keys.ts';
import { objectName, openObject, sealObject } from '../../crypto/sealed-object.ts';
import type { Random } from '../../ports/random.ts';
import type { ArchiveGroup, LedgerSealing, SealedBody } from './ledger-sealing.ts';
import type { RemoteMemory } from './remote-memory.ts';

const ENTRY_VERSION = 1;
const NAME_BYTES = 32;
const NOTHING = new Uint8Array();

export interface SealedParts {
  /** Identifies the ledger. */
  readonly ledger: Uint8Array;
  readonly keys: LedgerKeys;
  readonly memory: RemoteMemory;
  readonly random: Random;
}

const nameText = (name: Uint8Array): string =>
  `s${Array.from(name, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
const nameBytes = (name: string): Uint8Array =>
  Uint8Array.from(name.slice(1).match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/**
 * Returns the sealing and naming of objects; `sealed-ledger.ts` adds the parts that need the
 * remote.
 */
export function sealedSealing(parts: SealedParts): Omit<LedgerSealing, 'learn' | 'merge'> {
  const { ledger, keys, memory, random } = parts;
  /** Sealed bytes by their plain bytes, so that a retried transfer sends the same bytes. */
  const sealedBefore = new WeakMap<Uint8Array, SealedBody & { readonly key: string }>();
  const { learnNames, fileSealed, ...marks } = createMarks(memory);
  return {
    ...marks,
    kind: 'sealed',
    isReady: keys.isApproved,
    seal: async (store, cid, plain) => {
      const key = keys.current();
      const before = sealedBefore.get(plain);
      if (before?.key === key.name) return before;
      const body = await sealObject(ledger, store, plain, key, random);
      const made = { name: objectName(body), body, key: key.name };
      sealedBefore.set(plain, made);
      memory.named(cid, nameBytes(made.name));
      if (store === 'file') fileSealed(cid);
      return made;
    },
    nameOf: (cid) => {
      const name = memory.nameOf(cid);
      return name && nameText(name);
    },
    open: async (store, cid, body) => {
      const name = memory.nameOf(cid);
      if (name === undefined) throw new FixpointError('MISSING_CARS', cid);
      const plain = await openObject(ledger, store, nameText(name), body, keys.all());
      if ((await cidOfLong(CAR, plain)) === cid) return plain;
      throw new FixpointError('CORRUPT', `archive ${cid} has other content`);
    },
    makeEntry: (archive, head) => makeEntry(parts, archive, head),
    readEntry: async (entry) => {
      const sealed = bytesOf(entry);
      const content = decodeMap(await openObject(ledger, 'meta', objectName(sealed), sealed, keys.all()));
      if (content['v'] !== ENTRY_VERSION) throw new FixpointError('FORMAT_NEWER', 'meta entry');
      const [first, ...others] = asArray(content['cars']).map(linkCid);
      if (first === undefined) throw new FixpointError('CORRUPT', 'meta entry');
      learnNames([first, ...others], asArray(content['names']));
      return { group: [first, ...others], head: sortHead(asArray(content['head']).map(linkCid)) };
    },
    keys: () => [],
  };
}

async function makeEntry(
  { ledger, keys, memory, random }: SealedParts,
  archive: Cid,
  head: Head,
): Promise<MetaEntry> {
  const content = { v: ENTRY_VERSION, cars: [link(archive)], names: [memory.nameOf(archive) ?? NOTHING] };
  const plain = encode({ ...content, head: head.map(link) });
  const sealed = await sealObject(ledger, 'meta', plain, keys.current(), random);
  const text = btoa(Array.from(sealed, (byte) => String.fromCharCode(byte)).join(''));
  return { cid: cidOf(RAW, sealed), parents: [], data: `S${text}` };
}

/**
 * Tracks the names of archives at the ledger. Learns names from marks, and announces names in
 * marks.
 */
function createMarks(memory: RemoteMemory) {
  let mustTell = false;
  /** Returns the file archives at the remote whose names this device knows. */
  const namedFiles = () => memory.heldFiles().filter(memory.nameOf);
  const filesToTell = new Set<Cid>(namedFiles());

  const learnNames = (cids: readonly Cid[], names: readonly unknown[]) =>
    cids.forEach((cid, at) => {
      const name = names[at];
      if (name instanceof Uint8Array && name.length === NAME_BYTES && memory.nameOf(cid) === undefined)
        memory.named(cid, name);
    });

  return {
    learnNames,
    fileSealed: (cid: Cid) => void filesToTell.add(cid),
    mark: (groups: readonly ArchiveGroup[], files: readonly Cid[] = []) =>
      encodeBlock({
        sealedNames: groups.flat().map((cid) => memory.nameOf(cid) ?? NOTHING),
        sealedFiles: [...new Set([...filesToTell, ...files])].map((cid) => [
          link(cid),
          memory.nameOf(cid) ?? NOTHING,
        ]),
      }),
    hasToTell: () => mustTell || filesToTell.size > 0,
    tellAgain: () => {
      mustTell = true;
      for (const cid of namedFiles()) filesToTell.add(cid);
    },
    told: () => {
      mustTell = false;
      filesToTell.clear();
    },
    readMark: (archive: Uint8Array) => {
      const { cars, names, files } = marksOf(archive);
      const named = files.map(([cid]) => cid);
      learnNames(cars, names);
      learnNames(
        named,
        files.map(([, name]) => name),
      );
      return named;
    },
  };
}

/**
 * Returns the bytes of an entry.
 * @throws FixpointError CORRUPT, also when the bytes don't match the CID of the entry
 */
function bytesOf({ cid, data }: MetaEntry): Uint8Array {
  try {
    if (!data.startsWith('S')) throw new Error('not sealed');
    const sealed = Uint8Array.from(atob(data.slice(1)), (char) => char.charCodeAt(0));
    if (cidOf(RAW, sealed) !== cid) throw new Error('other content');
    return sealed;
  } catch (cause) {
    throw new FixpointError('CORRUPT', 'sealed meta entry', { cause });
  }
}

/** Reads the header and the mark of an archive. Parts of an upload have neither. */
function marksOf(archive: Uint8Array) {
  const [header, mark] = scanCar(archive, 2).blocks.map(({ offset, length }) =>
    archive.subarray(offset, offset + length),
  );
  try {
    const { fp } = decodeMap(header ?? NOTHING) as { fp?: { cars?: unknown } };
    const { sealedNames, sealedFiles } = decodeMap(mark ?? NOTHING);
    if (fp === undefined || sealedNames === undefined) return NO_MARKS;
    return {
      cars: asArray(fp.cars).flatMap((group) => asArray(group).map(linkCid)),
      names: asArray(sealedNames),
      files: asArray(sealedFiles).map((pair): readonly [Cid, unknown] => {
        const [cid, name] = asArray(pair);
        return [linkCid(cid), name];
      }),
    };
  } catch (cause) {
    if (isFixpointError(cause)) return NO_MARKS;
    throw cause;
  }
}

const NO_MARKS: {
  readonly cars: readonly Cid[];
  readonly names: readonly unknown[];
  readonly files: readonly (readonly [Cid, unknown])[];
} = { cars: [], names: [], files: [] };
