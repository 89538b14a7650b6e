/** Encodes the documents that enter a sandbox, and parses the rows that leave it. */
import { FixpointError } from '@fixpoint/protocol';
import type { Emitted } from '../../ports/sandbox.ts';

/**
 * Encodes documents as the JSON that enters a sandbox. Integers beyond 53 bits lose their last
 * digits.
 */
export function documentsJson(documents: readonly unknown[]): string {
  try {
    return JSON.stringify(documents);
  } catch {
    return JSON.stringify(documents, (_, value: unknown) =>
      typeof value === 'bigint' ? Number(value) : value,
    );
  }
}

const bad = (): FixpointError => new FixpointError('MAP_FAILED', 'the result is not a list of rows');

/**
 * Parses and checks the output of a sandbox: rows of documents of this batch, in the order of the
 * documents.
 * @throws FixpointError MAP_FAILED
 */
export function parseRows(json: string, documents: number): readonly Emitted[] {
  let rows: unknown;
  try {
    rows = JSON.parse(json);
  } catch (cause) {
    throw new FixpointError('MAP_FAILED', 'the result is not JSON', { cause });
  }
  if (!Array.isArray(rows)) throw bad();
  let last = 0;
  return rows.map((row: unknown) => {
    if (!Array.isArray(row)) throw bad();
    const [at, key, value, tagged] = row as unknown[];
    if (typeof at !== 'number' || !Number.isInteger(at) || at < last || at >= documents) throw bad();
    last = at;
    return { at, key: tagged === 1 ? untag(key) : key, value: value ?? null };
  });
}

/** Deeper than any key that an index can contain. */
const DEPTH_MAX = 300;

/**
 * Decodes a key with values that JSON can't represent: ['u'] undefined, ['n', name of a number],
 * ['a', parts], ['v', value].
 */
function untag(tagged: unknown, depth = 0): unknown {
  if (!Array.isArray(tagged) || depth > DEPTH_MAX) throw bad();
  const [kind, content] = tagged as unknown[];
  if (kind === 'u') return undefined;
  if (kind === 'n') return Number(content);
  if (kind === 'a' && Array.isArray(content)) return content.map((part) => untag(part, depth + 1));
  return content;
}
