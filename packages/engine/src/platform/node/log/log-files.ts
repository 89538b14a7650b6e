/** Opens and reads the files of a log in the folder of a database. */
import { randomBytes } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';
import type { FileSystem, OpenFile } from '../../../ports/file-system.ts';
import { replaceFile } from '../durable-file.ts';
import { encodeHeader } from './log-format.ts';
import type { Row } from './log-rows.ts';

/** Paths of a log and its marker. Log 0 has the file names of a folder with a single log. */
export const logPath = (folder: string, slot: number) => `${folder}/log${slot === 0 ? '' : `-${slot}`}`;
export const markerPath = (folder: string, slot: number) =>
  `${folder}/durable${slot === 0 ? '' : `-${slot}`}`;
/**
 * The path of the lock for opening or replacing the folder. The lock is next to the folder, because
 * removing the folder would also remove a lock in it.
 */
export const openingPath = (folder: string) => `${folder}.opening`;

/** Creates an empty log, durably. */
export function makeLog(files: FileSystem, folder: string, slot: number): Promise<void> {
  const header = encodeHeader({ slot, generation: 0, id: randomBytes(16) });
  return replaceFile(files, logPath(folder, slot), header);
}

/**
 * The open files of a log. They stay valid when another folder replaces the one in which they were
 * opened.
 */
export interface LogFiles {
  readonly slot: number;
  readonly file: OpenFile;
  readonly marker: OpenFile;
  readonly markerBytes: Uint8Array | undefined;
  readonly stamp: string;
}

/**
 * Opens the files of a log. Call it only while no other folder can replace this one.
 * @throws FixpointError CORRUPT
 */
export async function openFiles(files: FileSystem, folder: string, slot: number): Promise<LogFiles> {
  const [path, ofMarker] = [logPath(folder, slot), markerPath(folder, slot)];
  const markerBytes = await files.readFile(ofMarker);
  const stamp = await files.stamp(path);
  if (stamp === undefined) throw new FixpointError('CORRUPT', 'the log is gone');
  const file = await files.open(path, 'existing');
  try {
    const marker = await files.open(ofMarker, markerBytes === undefined ? 'create' : 'existing');
    return { slot, file, marker, markerBytes, stamp };
  } catch (cause) {
    await file.close();
    throw cause;
  }
}

export const toBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** @throws FixpointError CORRUPT */
export async function readRow({
  file,
  offset,
  length,
}: Pick<Row, 'file' | 'offset' | 'length'>): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const count = await file.read(at === 0 ? bytes : bytes.subarray(at), offset + at);
    if (count === 0) throw new FixpointError('CORRUPT', 'the log became shorter');
    at += count;
  }
  return bytes;
}

/** Returns whether two files have the same content, or both don't exist. */
export const isSame = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0;
