/**
 * Proofs of the content of a document at a head, or that the document doesn't exist at that head. A
 * proof is the set of blocks that a lookup reads: the events of the head (if there are several,
 * also earlier events back to where they meet), the shards on the path to the key, and the
 * document. The verifier knows the head, looks up the document only in these blocks, and checks
 * each block against its CID. So the verifier needs neither the database nor trust in its owner.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { Lru } from '../base/lru.ts';
import { type ClockEvent, eventReader, type Head } from '../clock/event.ts';
import { parseHead } from '../clock/head.ts';
import { rootOfHead } from '../clock/root-of-head.ts';
import type { ReadBlock } from '../codec/block.ts';
import { type Cid, cidOf, codecOf, parseCid } from '../codec/cid.ts';
import { parseDocKey } from '../documents/doc-key.ts';
import { decodeDocument, type StoredDocument } from '../documents/encode.ts';
import { getLink } from '../trie/get.ts';
import { type Shard, shardReader } from '../trie/shard.ts';

/** A block and its CID, which contains the hash of the bytes. */
export interface ProofBlock {
  readonly cid: string;
  readonly bytes: Uint8Array;
}

/**
 * Proves the state of a document at a head to verifiers who don't have the database and don't trust
 * the sender. A proof is plain data.
 */
export interface Proof {
  readonly head: readonly string[];
  readonly id: string;
  readonly blocks: readonly ProofBlock[];
}

/** Larger proofs are rejected before they are read, because proofs come from strangers. */
const PROOF_LIMITS = { blocks: 100_000, bytes: 64_000_000, events: 1000 };
const DECODED_KEPT = 10_000;

/**
 * Returns a proof: the blocks that a lookup of the document reads.
 * @throws FixpointError DOC_ID_REQUIRED, KEY_INVALID, MISSING_BLOCK, CORRUPT
 */
export async function prove(head: Head, id: string, read: ReadBlock): Promise<Proof> {
  const blocks = new Map<Cid, Uint8Array>();
  await lookUp(head, id, async (cid) => {
    const bytes = await read(cid);
    blocks.set(cid, bytes);
    return bytes;
  });
  return { head, id, blocks: [...blocks].map(([cid, bytes]) => ({ cid, bytes })) };
}

/**
 * Checks a proof and returns the document at the head. Returns `{deleted: true}` if the document
 * was deleted, and undefined if the proof shows that there is no such document. The caller passes
 * the expected `head` and `id`; the proof must contain the same values.
 * @throws FixpointError PROOF_INVALID when anything is wrong with the proof
 */
export async function checkProof(
  proof: Proof,
  head: readonly string[],
  id: string,
): Promise<StoredDocument | undefined> {
  try {
    const asked = parseHead(head);
    const about = proof as { head?: unknown; id?: unknown } | null | undefined;
    if (about?.id !== id || parseHead(about.head).join() !== asked.join())
      throw new FixpointError('PROOF_INVALID', 'it proves another document or head');
    const blocks = checkedBlocks(proof.blocks);
    return await lookUp(asked, id, async (cid) => {
      const bytes = blocks.get(cid);
      if (bytes === undefined) throw new FixpointError('PROOF_INVALID', `block ${cid} is missing`);
      return bytes;
    });
  } catch (cause) {
    if (isFixpointError(cause, 'PROOF_INVALID')) throw cause;
    if (isFixpointError(cause)) throw new FixpointError('PROOF_INVALID', cause.message, { cause });
    throw cause;
  }
}

function checkedBlocks(given: unknown): ReadonlyMap<Cid, Uint8Array> {
  if (!Array.isArray(given) || given.length > PROOF_LIMITS.blocks)
    throw new FixpointError('PROOF_INVALID', `at most ${PROOF_LIMITS.blocks} blocks`);
  const blocks = new Map<Cid, Uint8Array>();
  let size = 0;
  for (const block of given as readonly (Partial<ProofBlock> | null | undefined)[]) {
    const cid = parseCid(block?.cid);
    const bytes = block?.bytes;
    if (!(bytes instanceof Uint8Array)) throw new FixpointError('PROOF_INVALID', 'a block without bytes');
    size += bytes.length;
    if (size > PROOF_LIMITS.bytes)
      throw new FixpointError('PROOF_INVALID', `at most ${PROOF_LIMITS.bytes} bytes`);
    if (cidOf(codecOf(cid), bytes) !== cid)
      throw new FixpointError('PROOF_INVALID', `block ${cid} has other content`);
    blocks.set(cid, bytes);
  }
  return blocks;
}

async function lookUp(head: Head, id: string, read: ReadBlock): Promise<StoredDocument | undefined> {
  const key = parseDocKey(id);
  if (head.length > PROOF_LIMITS.events)
    throw new FixpointError('PROOF_INVALID', 'the head has too many events');
  const made = new Map<Cid, Uint8Array>();
  const block: ReadBlock = async (cid) => made.get(cid) ?? read(cid);
  const event = eventReader(block, new Lru<Cid, ClockEvent>(DECODED_KEPT));
  const shard = shardReader(block, new Lru<Cid, Shard>(DECODED_KEPT));
  const { root, added } = await rootOfHead(head, { event, shard });
  for (const { cid, bytes } of added) made.set(cid, bytes);
  const link = root && (await getLink(shard, root, key));
  return link && decodeDocument(await read(link));
}
