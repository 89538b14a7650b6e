import type { Operation } from '../commit/write-queue.ts';
import type { DocKey } from '../documents/doc-key.ts';
import { encodeSanitised } from '../documents/encode.ts';
import { sanitise } from '../documents/sanitise.ts';
import { type SplitOptions, splitFiles } from './split.ts';
import type { TakenFiles } from './take.ts';

/**
 * Reads the new files of a document, and returns the write of the document with their entries.
 * @throws FixpointError FILE_INVALID, LIMIT_REACHED, STORE_FULL, STORE_FAILED
 */
export async function operationWithFiles(
  fields: Readonly<Record<string, unknown>>,
  key: DocKey,
  taken: TakenFiles,
  options: SplitOptions,
): Promise<Operation> {
  const { maps, archives, staged } = await splitFiles(taken, options);
  return { key, value: encodeSanitised({ ...fields, ...sanitise(maps) }, key), files: { archives, staged } };
}
