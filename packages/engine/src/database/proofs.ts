/** Proofs of documents, and a look at all that is stored. */
import { checkOnProgress, checkOptions } from '../base/check-options.ts';
import { parseHead } from '../clock/head.ts';
import type { Verification, VerifyOptions } from '../commit/verify.ts';
import type { Doc } from '../documents/encode.ts';
import { checkProof, type Proof, prove } from '../proof/proof.ts';
import { readPastOf } from './compacted.ts';
import type { Core } from './core.ts';
import type { Stored } from './database.ts';

/** What shows that documents are what they are said to be. */
export interface Proofs {
  /**
   * The blocks that show what a document is at a head (default: the current one), or that there is none; {@link verifyProof} checks them without this database.
   * @throws FixpointError DOC_ID_REQUIRED, KEY_INVALID, HEAD_INVALID, MISSING_BLOCK, HISTORY_COMPACTED, CORRUPT
   */
  prove(id: string, head?: readonly string[]): Promise<Proof>;
  /** Reads every archive from the store, hashes every block again and follows every link, to earlier states too. Damage is a finding, not an error. @throws FixpointError QUERY_INVALID */
  verify(options?: VerifyOptions): Promise<Verification>;
}

export function createProofs(open: () => Promise<Core>): Proofs {
  return {
    prove: async (id, head) => {
      const { commits } = await open();
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
 * Checks a proof without a database: the document that it shows to be in the head, or undefined when it shows that there is none (or no more).
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
