/** Reads the content of an attached file, and verifies its CID before returning the last part. */
import { FixpointError } from '@fixpoint/protocol';
import type { ReadBlock } from '../codec/block.ts';
import { type Cid, cidOfDigest, RAW } from '../codec/cid.ts';
import { runningSha256 } from '../codec/sha256.ts';
import { fileBlocks } from './file-archive.ts';

export type LoadContents = () => Promise<{ contentOf: typeof contentOf; toFile: typeof toFile }>;

/** The CID of a file, and the archives that contain its parts in order. */
export interface StoredContent {
  readonly cid: Cid;
  readonly car: readonly Cid[];
}

/** Collects a whole content. */
export async function toFile(
  content: AsyncIterable<Uint8Array>,
  name: string,
  { type, lastModified }: Pick<File, 'type' | 'lastModified'>,
): Promise<File> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const part of content) parts.push(new Uint8Array(part));
  return new File(parts, name, { type, lastModified });
}

/** @throws FixpointError MISSING_CARS, CORRUPT, KEY_UNKNOWN */
export async function* contentOf(
  { cid, car }: StoredContent,
  readArchive: ReadBlock,
): AsyncGenerator<Uint8Array, void> {
  const [only, ...more] = car;
  if (only !== undefined && more.length === 0) {
    const block = (await fileBlocks(await readArchive(only))).find((one) => one.cid === cid);
    if (block === undefined) throw new FixpointError('CORRUPT', `file ${cid} is not in its archive`);
    if (block.bytes.length > 0) yield block.bytes;
    return;
  }
  const whole = runningSha256();
  for (const [at, part] of car.entries()) {
    const [block, ...others] = await fileBlocks(await readArchive(part));
    if (block === undefined || others.length > 0)
      throw new FixpointError('CORRUPT', `archive ${part} is not a part of a file`);
    whole.update(block.bytes);
    if (at === car.length - 1 && cidOfDigest(RAW, whole.digest()) !== cid)
      throw new FixpointError('CORRUPT', `file ${cid} has other content`);
    yield block.bytes;
  }
}
