/** The head record: JSON `{v: 1, head: [CID text]}` under the key `head`; of writers that have rows of their own, `head/<number>` but for number 0. */
import { FixpointError } from '@fixpoint/protocol';
import { textOf, utf8 } from '../base/bytes.ts';
import { type Head, sortHead } from '../clock/event.ts';
import { parseCid } from '../codec/cid.ts';

export const HEAD_KEY = 'head';

/** Where this writer keeps its head. */
export const headKeyOf = (writer = 0): string => (writer === 0 ? HEAD_KEY : `${HEAD_KEY}/${writer}`);
const VERSION = 1;

export const encodeHeadRecord = (head: Head): Uint8Array => utf8(JSON.stringify({ v: VERSION, head }));

/** @throws FixpointError CORRUPT, FORMAT_NEWER */
export function decodeHeadRecord(bytes: Uint8Array | undefined): Head {
  if (bytes === undefined) return sortHead([]);
  let record: { v?: unknown; head?: unknown };
  try {
    record = JSON.parse(textOf(bytes)) as typeof record;
  } catch (cause) {
    throw new FixpointError('CORRUPT', 'head record', { cause });
  }
  if (record.v !== VERSION) throw new FixpointError('FORMAT_NEWER', 'head record');
  if (!Array.isArray(record.head)) throw new FixpointError('CORRUPT', 'head record');
  return sortHead(record.head.map(parseCid));
}
