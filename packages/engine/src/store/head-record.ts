/**
 * The head record: JSON `{v, head: [CID text], epoch?, synced?, horizon?, former?, bytes?}` under
 * the key `head`. `v` is 3 since commits have their own rows, so that versions which don't know
 * these rows reject the database. Before that, `v` was 2 if older events were dropped, and
 * otherwise 1. If several writers have their own head records, the record of writer n is under
 * `head/<n>`, except for writer 0.
 */
import { FixpointError } from '@fixpoint/protocol';
import { textOf, utf8 } from '../base/bytes.ts';
import { type Head, sortHead } from '../clock/event.ts';
import { type Cid, parseCid } from '../codec/cid.ts';

export const HEAD_KEY = 'head';

/** Returns the key of a writer's head record. */
export const headKeyOf = (writer = 0): string => (writer === 0 ? HEAD_KEY : `${HEAD_KEY}/${writer}`);
const VERSION = 3;

export interface HeadRecord {
  readonly head: Head;
  /**
   * Counts steps such as removals of archives. Each of these steps voids earlier compaction plans.
   */
  readonly epoch: number;
  /**
   * Whether the database was ever attached. If so, all events are kept, for replicas that sync
   * late.
   */
  readonly synced: boolean;
  /** The oldest kept event of the history; undefined if no events were dropped. */
  readonly horizon: Cid | undefined;
  /** Heads of the history that the first attach replaced with a single event. */
  readonly former: Head;
  /** Size of all archives after the last full compaction; 0 if there was none. */
  readonly bytes: number;
}

export const NEW_RECORD: HeadRecord = {
  head: sortHead([]),
  epoch: 0,
  synced: false,
  horizon: undefined,
  former: sortHead([]),
  bytes: 0,
};

export function encodeHeadRecord({ head, epoch, synced, horizon, former, bytes }: HeadRecord): Uint8Array {
  return utf8(
    JSON.stringify({
      v: VERSION,
      head,
      ...(epoch > 0 && { epoch }),
      ...(synced && { synced }),
      ...(horizon !== undefined && { horizon }),
      ...(former.length > 0 && { former }),
      ...(bytes > 0 && { bytes }),
    }),
  );
}

type Fields = { readonly [field in keyof HeadRecord | 'v']?: unknown };

/** @throws FixpointError CORRUPT, FORMAT_NEWER */
export function decodeHeadRecord(stored: Uint8Array | undefined): HeadRecord {
  if (stored === undefined) return NEW_RECORD;
  const { v, head, epoch = 0, synced = false, horizon, former = [], bytes = 0 } = parse(stored);
  if (v !== 1 && v !== 2 && v !== VERSION) throw new FixpointError('FORMAT_NEWER', 'head record');
  if (!Array.isArray(head) || !Array.isArray(former) || !isCount(epoch) || !isCount(bytes))
    throw new FixpointError('CORRUPT', 'head record');
  return {
    head: sortHead(head.map(parseCid)),
    epoch,
    synced: synced === true,
    horizon: horizon === undefined ? undefined : parseCid(horizon),
    former: sortHead(former.map(parseCid)),
    bytes,
  };
}

function parse(stored: Uint8Array): Fields {
  try {
    const fields: unknown = JSON.parse(textOf(stored));
    if (typeof fields === 'object' && fields !== null) return fields;
  } catch (cause) {
    throw new FixpointError('CORRUPT', 'head record', { cause });
  }
  throw new FixpointError('CORRUPT', 'head record');
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/**
 * Joins the records of several writers. The record with the highest epoch provides all fields
 * except `synced` and `head`.
 */
export function joinRecords(records: Iterable<HeadRecord>, head: Head): HeadRecord {
  let latest = NEW_RECORD;
  let synced = false;
  for (const record of records) {
    if (record.epoch >= latest.epoch) latest = record;
    synced ||= record.synced;
  }
  return { ...latest, synced, head };
}
