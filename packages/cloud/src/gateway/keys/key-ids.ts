import { createHash } from 'node:crypto';
import type { Db } from '../../tables/connection.ts';
import { readKeys } from '../../tables/sync/ledger-key-rows.ts';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const KEY_CHARS_MAX = 100;

/**
 * Returns the ids of an open-key ledger's keys. The id of a key is its hash, as hex text. The keys
 * of a sealed ledger are encrypted, so this returns no ids for them.
 */
export async function keyIdsOf(db: Db, ledger: string): Promise<ReadonlySet<string>> {
  const ids = (await readKeys(db, ledger)).map(keyIdOf);
  return new Set(ids.filter((id) => id !== undefined));
}

/** Returns the id of a key written as base58btc text, `z...`. */
export function keyIdOf(text: string): string | undefined {
  const bytes = keyBytesOf(text);
  return bytes && createHash('sha256').update(bytes).digest('hex');
}

/** Returns the bytes of a key written as base58btc text, `z...`. */
export function keyBytesOf(text: string): Buffer | undefined {
  if (!/^z[1-9A-HJ-NP-Za-km-z]+$/.test(text) || text.length > KEY_CHARS_MAX) return undefined;
  let number = 0n;
  for (const letter of text.slice(1)) number = number * 58n + BigInt(ALPHABET.indexOf(letter));
  const zeros = /^z(1*)/.exec(text)?.[1]?.length ?? 0;
  const hex = number === 0n ? '' : number.toString(16);
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')]);
}
