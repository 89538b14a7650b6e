/** Helpers for tests of attached files. */
import { LIMITS } from '@fixpoint/protocol';
import type { StoredFile } from '../src/entries/node.ts';

export type WithFiles = { _files: Record<string, StoredFile>; _publicFiles: Record<string, StoredFile> };

/** Length above which a file is stored in several archives. */
export const PART = LIMITS.fileBlockBytesMax;

export const textIn = async (stored: StoredFile | undefined) => (await stored?.file())?.text();

export const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was refused',
    (error: { code?: string }) => error.code,
  );

/** Returns content in which each byte depends on its position. */
export const content = (bytes: number, seed = 0) =>
  Uint8Array.from({ length: bytes }, (_, at) => (at * 7 + (at >> 8) + seed) & 0xff);

export async function readAll(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}
