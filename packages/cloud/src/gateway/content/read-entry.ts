/**
 * Reads meta entries. The gateway checks two things before it lists an entry: clients can read the
 * entry, and the archives to which the entry refers are present. Apart from this, entries are
 * opaque to the gateway.
 *
 * In an open-key ledger, the data of an entry is the letter `M` and the base64 of a dag-cbor block
 * `{data: {dbMeta: bytes, head: [links]}, parents: [links]}`. The CID of the entry is the CID of
 * this block. `dbMeta` is the text `{"cars":[{"/":"<cid>"}]}`, and `head` is optional. In a sealed
 * ledger, the data is the letter `S` and the base64 of a sealed object. The CID of the entry is the
 * CID of the object's bytes: see docs/internals/sealed-ledgers.md.
 */
import type { MetaEntry } from '@fixpoint/protocol/storage';
import { DAG_CBOR, isCidOf, RAW, readCid, readCidBytes } from './content-id.ts';
import { readDagCbor } from './strict-dag-cbor.ts';

const CARS_MAX = 1000;
const PARENTS_MAX = 1000;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** The first byte of a sealed object. */
const SEALED_MARK = 0x53;
/** Total length of the first two bytes, key id, salt, nonce and tag of a sealed object. */
const SEALED_BYTES_MIN = 2 + 16 + 32 + 12 + 16;

export interface EntryContent {
  /** The archives that the entry refers to; empty for a sealed entry. */
  readonly cars: readonly string[];
  /**
   * `cars` when the list of archives is complete; `nothing` when a reader may also need archives
   * that only older entries refer to.
   */
  readonly tells: 'cars' | 'nothing';
}

/**
 * Reads an entry as clients do.
 * @throws Error with the reason why no client could read it
 */
export function readEntry(entry: MetaEntry): EntryContent {
  if (readCid(entry.cid) === undefined) throw new Error('its CID is not valid');
  if (entry.parents.length > PARENTS_MAX || !entry.parents.every((cid) => readCid(cid) !== undefined))
    throw new Error('its parents are not valid');
  const bytes = bytesIn(entry.data);
  if (entry.data.startsWith('S')) return readSealed(entry.cid, bytes);
  if (!isCidOf(entry.cid, DAG_CBOR, bytes)) throw new Error("its data doesn't hash to its CID");
  const block = asMap(readDagCbor(bytes));
  const content = asMap(block.get('data'));
  requireLinks(block.get('parents'));
  const head = content.get('head');
  if (head !== undefined) requireLinks(head);
  return { cars: carsIn(content.get('dbMeta')), tells: head === undefined ? 'cars' : 'nothing' };
}

/** Returns the archives that an entry refers to; empty when the entry can't be read. */
export function carsOf(entry: MetaEntry): readonly string[] {
  try {
    return readEntry(entry).cars;
  } catch {
    return [];
  }
}

function bytesIn(data: string): Buffer {
  const [letter, text] = [data.slice(0, 1), data.slice(1)];
  if (letter !== 'M' && letter !== 'S') throw new Error('its data is not multibase base64');
  const bytes = Buffer.from(text, 'base64');
  if (!BASE64.test(text) || bytes.length === 0 || bytes.toString('base64') !== text)
    throw new Error('its data is not base64 with padding');
  return bytes;
}

function readSealed(cid: string, bytes: Buffer): EntryContent {
  if (!isCidOf(cid, RAW, bytes)) throw new Error("its data doesn't hash to its CID");
  if (bytes[0] !== SEALED_MARK || bytes.length <= SEALED_BYTES_MIN)
    throw new Error('its data is not a sealed object');
  return { cars: [], tells: 'nothing' };
}

function carsIn(dbMeta: unknown): readonly string[] {
  if (!Buffer.isBuffer(dbMeta)) throw new Error('it has no db meta');
  const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(dbMeta));
  const cars = (value as { cars?: unknown } | null)?.cars;
  if (!Array.isArray(cars) || cars.length === 0 || cars.length > CARS_MAX)
    throw new Error('its db meta names no archives');
  return cars.map((car) => {
    const cid = (car as Record<string, unknown> | null)?.['/'];
    if (typeof cid !== 'string' || readCid(cid) === undefined)
      throw new Error('its db meta names an archive that is not a CID');
    return cid;
  });
}

function asMap(value: unknown): ReadonlyMap<string, unknown> {
  if (!(value instanceof Map)) throw new Error('its data is not a db meta');
  return value;
}

function requireLinks(value: unknown): void {
  const isList =
    Array.isArray(value) && value.every((each) => isLink((each as { link?: unknown } | null)?.link));
  if (!isList) throw new Error('its data is not a db meta');
}

const isLink = (bytes: unknown): boolean => Buffer.isBuffer(bytes) && readCidBytes(bytes) !== undefined;
