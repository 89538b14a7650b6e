import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FixpointError } from '@fixpoint/protocol';
import { CID } from 'multiformats/cid';
import { Lru } from '../../src/base/lru.ts';
import { eventReader } from '../../src/clock/event.ts';
import type { Block } from '../../src/codec/block.ts';
import type { Cid } from '../../src/codec/cid.ts';
import { DocumentLink } from '../../src/codec/document-link.ts';
import { shardReader } from '../../src/trie/shard.ts';

const FOLDER = new URL('../vectors/', import.meta.url);

export const bytesOf = (path: string): Uint8Array => Uint8Array.from(readFileSync(new URL(path, FOLDER)));
export const filesIn = (path: string): string[] => readdirSync(new URL(path, FOLDER));
export const filesBelow = (path: string): string[] =>
  readdirSync(new URL(path, FOLDER), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(fileURLToPath(FOLDER), `${parentPath}/${name}`));
export const fromHex = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/**
 * Returns the parsed file. Values that JSON can't express stay tagged, except that `{"$repeat":
 * "k", "n": 3}` becomes `kkk`.
 */
export const vectors = <T>(name: string): T =>
  JSON.parse(Buffer.from(bytesOf(name)).toString('utf8'), (_, value) =>
    value?.$repeat === undefined ? value : String(value.$repeat).repeat(value.n),
  ) as T;

const SPECIAL: Readonly<Record<string, (of: never, tagged: never) => unknown>> = {
  $undefined: () => undefined,
  $nan: () => Number.NaN,
  $number: (text: string) => Number(text),
  $bigint: (text: string) => BigInt(text),
  $bytes: (hex: string) => fromHex(hex),
  $date: (iso: string) => new Date(iso),
  $cid: (text: string) => new DocumentLink(CID.parse(text).bytes),
  $map: (entries: [unknown, unknown][]) => new Map(entries),
  $set: (items: unknown[]) => new Set(items),
  $typedarray: (_: string, { values }: { values: number[] }) => Uint16Array.from(values),
};

/** Returns the value that tagged JSON represents. */
export function untag(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untag);
  if (typeof value !== 'object' || value === null) return value;
  const [tag, of] = Object.entries(value)[0] ?? [];
  const special = tag === undefined ? undefined : SPECIAL[tag];
  if (special !== undefined) return special(of as never, value as never);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, untag(item)]));
}

/** Returns an in-memory collection of blocks with functions that read them. */
export function blockstore() {
  const byCid = new Map<Cid, Uint8Array>();
  const read = async (cid: Cid) => {
    const bytes = byCid.get(cid);
    if (bytes === undefined) throw new FixpointError('MISSING_BLOCK', cid);
    return bytes;
  };
  return {
    byCid,
    read,
    add: (blocks: Iterable<Block>) => {
      for (const { cid, bytes } of blocks) byCid.set(cid, bytes);
    },
    event: eventReader(read, new Lru(10_000)),
    shard: shardReader(read, new Lru(10_000)),
  };
}
