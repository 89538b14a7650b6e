/** Proofs of documents, and verification of everything stored. */
import { checkOnProgress, checkOptions } from '../../base/check-options.ts';
import { parseHead } from '../../clock/head.ts';
import type { Verification, VerifyOptions } from '../../commit/verify/verify.ts';
import type { Doc } from '../../documents/encode.ts';
import { checkProof, type Proof, prove } from '../../proof/proof.ts';
import type { Core } from '../core.ts';
import type { Stored } from '../database-results.ts';
import { readPastOf } from './compacted.ts';

/** Proves documents and verifies the store. */
export interface Proofs {
  /**
   * Returns the blocks that prove the content of a document at a head (default: the current head),
   * or prove that the document doesn't exist. {@link verifyProof} checks the blocks without this
   * database.
   * @throws FixpointError DOC_ID_REQUIRED, KEY_INVALID, HEAD_INVALID, MISSING_BLOCK,
   * HISTORY_COMPACTED, CORRUPT
   */
  prove(id: string, head?: readonly string[]): Promise<Proof>;
  /**
   * Reads every archive from the store, rehashes every block and follows every link, including
   * links to earlier versions. Reports damage in its result instead of rejecting.
   * @throws FixpointError QUERY_INVALID
   */
  verify(options?: VerifyOptions): Promise<Verification>;
}

export function createProofs(open: () => Promise<Core>): Proofs {
  return {
    prove: async (id, head) => {
      const { commits } = await open();
      await commits.settle();
      const asked = head === undefined ? commits.snapshot().head : parseHead(head);
      return readPastOf(commits, asked, () => prove(asked, id, commits.readers.block));
    },
    verify: async (options = {}) => {
      checkOptions(options);
      checkOnProgress(options);
      const { commits } = await open();
      return commits.read(() => commits.verify(options));
    },
  };
}

/**
 * Checks a proof without a database. Returns the document that the head contains, or undefined if
 * the proof shows that the document doesn't exist at this head, or was deleted.
 * @throws FixpointError PROOF_INVALID
 */
export async function verifyProof<T extends object = Doc>(
  proof: Proof,
  head: readonly string[],
  id: string,
): Promise<Stored<T> | undefined> {
  const stored = await checkProof(proof, head, id);
  return stored !== undefined && 'doc' in stored ? (stored.doc as Stored<T>) : undefined;
}
