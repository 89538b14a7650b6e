/**
 * Metas are opaque to the gateway but for one thing: the archives that an entry names must be there before anybody sees it. In an open-key ledger the
 * data of an entry is, as text with a leading `M`, the base64 of a dag-cbor block `{data: {dbMeta: bytes}, parents: [links]}`, and `dbMeta` is the text
 * `{"cars":[{"/":"<cid>"}]}`. Whatever is not of this form (a sealed ledger's entry is not) names no archive that could be read here.
 */
import type { MetaEntry } from '@fixpoint/protocol/storage';
import { bytesAt } from './cbor-bytes.ts';

const CARS_MAX = 1000;
const CID_TEXT = /^[A-Za-z0-9]{1,200}$/;

/** The archives that an entry names, as far as it can be read. */
export function carsOf({ data }: Pick<MetaEntry, 'data'>): readonly string[] {
  if (!data.startsWith('M')) return [];
  const block = Buffer.from(data.slice(1), 'base64');
  const dbMeta = bytesAt(block, ['data', 'dbMeta']);
  if (dbMeta === undefined) return [];
  try {
    return carsIn(JSON.parse(dbMeta.toString('utf8')));
  } catch {
    return [];
  }
}

function carsIn(value: unknown): readonly string[] {
  const cars = (value as { cars?: unknown } | null)?.cars;
  if (!Array.isArray(cars) || cars.length > CARS_MAX) return [];
  const cids = cars.map((car) => (car as Record<string, unknown> | null)?.['/']);
  return cids.every((cid): cid is string => typeof cid === 'string' && CID_TEXT.test(cid)) ? cids : [];
}
