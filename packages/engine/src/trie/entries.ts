import type { Cid } from '../codec/cid.ts';
import type { ReadShard } from './shard.ts';

/** All keys with their links, in ascending order of keys. */
export async function* entries(
  read: ReadShard,
  root: Cid,
): AsyncGenerator<readonly [key: string, value: Cid]> {
  const shard = await read(root);
  for (const { key, value, child } of shard.entries) {
    if (value !== undefined) yield [shard.prefix + key, value];
    if (child !== undefined) yield* entries(read, child);
  }
}
