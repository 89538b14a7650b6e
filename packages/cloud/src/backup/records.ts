/**
 * The content of a backup's parts: records, each with a head of JSON and a body of bytes. A record
 * is the length of its head (4 bytes), the head, and the body.
 */
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { Row } from '../tables/backup/snapshot.ts';
import { refuseBackup } from './manifest.ts';

const length = v.pipe(v.number(), v.integer(), v.minValue(0));

const HEAD = v.variant('is', [
  /** The file of the server's secrets. */
  v.strictObject({ is: v.literal('secrets'), bytes: length }),
  /** Rows of a table, as JSON. */
  v.strictObject({ is: v.literal('rows'), bytes: length, table: v.string() }),
  /** An object of the store, with its place. */
  v.strictObject({ is: v.literal('object'), bytes: length, place: v.string(), sha256: v.string() }),
]);
const ROWS = v.array(v.record(v.string(), v.nullable(v.union([v.string(), v.number(), v.boolean()]))));

/** A record as it is read. */
export type BackupRecord =
  | { readonly is: 'secrets'; readonly text: string }
  | { readonly is: 'rows'; readonly table: string; readonly rows: readonly Row[] }
  | { readonly is: 'object'; readonly place: string; readonly bytes: Buffer };

const LENGTH_BYTES = 4;
/** Bytes from which a part is full. It is in memory. Only a single record may be longer. */
const PART_BYTES = 8_000_000;

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function bytesOfRecord(record: BackupRecord): Buffer {
  const body =
    record.is === 'object'
      ? record.bytes
      : Buffer.from(record.is === 'rows' ? JSON.stringify(record.rows) : record.text);
  const head = {
    is: record.is,
    bytes: body.length,
    ...(record.is === 'rows' && { table: record.table }),
    ...(record.is === 'object' && { place: record.place, sha256: sha256(body) }),
  };
  const headBytes = Buffer.from(JSON.stringify(head));
  const start = Buffer.alloc(LENGTH_BYTES);
  start.writeUInt32BE(headBytes.length);
  return Buffer.concat([start, headBytes, body]);
}

export interface RecordWriter {
  add(record: BackupRecord): Promise<void>;
  /** Writes the records that remain. */
  finish(): Promise<void>;
}

/** @param writePart stores a full part */
export function createRecordWriter(writePart: (bytes: Buffer) => Promise<void>): RecordWriter {
  let waiting: Buffer[] = [];
  let bytes = 0;
  const finish = async () => {
    if (bytes === 0) return;
    const part = Buffer.concat(waiting);
    [waiting, bytes] = [[], 0];
    await writePart(part);
  };
  return {
    add: async (record) => {
      const text = bytesOfRecord(record);
      if (bytes + text.length > PART_BYTES) await finish();
      waiting.push(text);
      bytes += text.length;
      if (bytes >= PART_BYTES) await finish();
    },
    finish,
  };
}

/**
 * Yields the records of a part.
 * @param id of the backup, for errors
 * @throws FixpointError CORRUPT
 */
export function* recordsIn(id: string, part: Buffer): Iterable<BackupRecord> {
  for (let at = 0; at < part.length; ) {
    const headAt = at + LENGTH_BYTES;
    const bodyAt = headAt <= part.length ? headAt + part.readUInt32BE(at) : Number.POSITIVE_INFINITY;
    const head = v.safeParse(HEAD, bodyAt <= part.length ? jsonIn(part.subarray(headAt, bodyAt)) : undefined);
    if (!head.success) return void refuseBackup(id, 'has a damaged record');
    const end = bodyAt + head.output.bytes;
    if (end > part.length) return void refuseBackup(id, 'has a truncated record');
    yield recordOf(id, head.output, part.subarray(bodyAt, end));
    at = end;
  }
}

function recordOf(id: string, head: v.InferOutput<typeof HEAD>, body: Buffer): BackupRecord {
  if (head.is === 'secrets') return { is: 'secrets', text: body.toString('utf8') };
  if (head.is === 'object')
    return sha256(body) === head.sha256
      ? { is: 'object', place: head.place, bytes: body }
      : refuseBackup(id, `has a damaged object ${head.place}`);
  const rows = v.safeParse(ROWS, jsonIn(body));
  return rows.success
    ? { is: 'rows', table: head.table, rows: rows.output }
    : refuseBackup(id, `has damaged rows of the table ${head.table}`);
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
