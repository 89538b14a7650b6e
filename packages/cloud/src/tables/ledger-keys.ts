/** The list of keys of a ledger: raw keys of an open-key ledger, records of a sealed one. And what kind a ledger is. */
import { createHash } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';
import { LEDGER_KINDS, type LedgerKind, type Metas } from '@fixpoint/protocol/storage';
import type { Connection, Db } from './database.ts';

/** Keys that a ledger can have, and how long they may be together. Clients of open-key ledgers send all they know with each put. */
export const LEDGER_KEYS_MAX = 1000;
const LEDGER_KEYS_CHARS_MAX = 4_000_000;

export interface LedgerKeyList {
  /** Sorted. */
  readonly keys: readonly string[];
  /** Records of a sealed ledger, by the user who put them. */
  readonly recordsOf: ReadonlyMap<string, readonly string[]>;
}

/** Records in the list of keys, and entries, of a sealed ledger begin with this letter; raw keys and open entries do not. */
export const isSealedRecord = (text: string): boolean => text.startsWith('S');

export const ledgerKindOf = (text: string | null): LedgerKind | undefined =>
  LEDGER_KINDS.find((kind) => kind === text);

/** The kind that a ledger has after a put: the one it was made with, or else that of the first put. @throws FixpointError LEDGER_KIND */
export async function settleKind(
  tx: Connection,
  ledger: string,
  stored: string | null,
  { metas, keys }: Metas,
): Promise<void> {
  const texts = [...keys, ...metas.map(({ data }) => data)];
  const [first] = texts;
  if (first === undefined) return;
  const known = ledgerKindOf(stored);
  const kind = known ?? (isSealedRecord(first) ? 'sealed' : 'open-key');
  if (texts.some((text) => isSealedRecord(text) !== (kind === 'sealed')))
    throw new FixpointError('LEDGER_KIND', `it is ${kind}`);
  // Keys alone are not kept in an open-key ledger, and settle nothing.
  if (known !== undefined || (kind === 'open-key' && metas.length === 0)) return;
  await tx.updateTable('Ledgers').set({ kind }).where('ledgerId', '=', ledger).execute();
}

/** Adds keys. A record that is put again is its last putter's: a device may have gone from one member to another. */
export async function putKeys(
  tx: Connection,
  ledger: string,
  userId: string | null,
  keys: readonly string[],
  createdAt: string,
): Promise<void> {
  const known = new Set(await readKeys(tx, ledger));
  const fresh = [...new Set(keys)].filter((key) => !known.has(key));
  if (known.size + fresh.length > LEDGER_KEYS_MAX)
    throw new FixpointError('LIMIT_REACHED', `${LEDGER_KEYS_MAX} keys`);
  if (charsOf(known) + charsOf(fresh) > LEDGER_KEYS_CHARS_MAX)
    throw new FixpointError('LIMIT_REACHED', 'length of all keys');
  if (fresh.length > 0)
    await tx
      .insertInto('LedgerKeys')
      .values(
        fresh.map((keyText) => ({ ledgerId: ledger, keyHash: hashOf(keyText), keyText, userId, createdAt })),
      )
      .execute();
  const again = keys.filter((key) => known.has(key) && isSealedRecord(key));
  if (again.length > 0)
    await tx
      .updateTable('LedgerKeys')
      .set({ userId })
      .where('ledgerId', '=', ledger)
      .where('keyHash', 'in', again.map(hashOf))
      .execute();
}

/** The keys of a ledger, sorted. */
export const readKeys = async (db: Connection, ledger: string): Promise<readonly string[]> =>
  (await readKeyList(db, ledger)).keys;

export async function readKeyList(db: Connection, ledger: string): Promise<LedgerKeyList> {
  const rows = await db
    .selectFrom('LedgerKeys')
    .select(['keyText', 'userId'])
    .where('ledgerId', '=', ledger)
    .execute();
  const recordsOf = new Map<string, string[]>();
  for (const { keyText, userId } of rows) {
    if (userId === null || !isSealedRecord(keyText)) continue;
    const records = recordsOf.get(userId) ?? [];
    recordsOf.set(userId, records);
    records.push(keyText);
  }
  // Databases differ in how they sort texts.
  return { keys: rows.map(({ keyText }) => keyText).sort(), recordsOf };
}

/** Takes keys out of a ledger. */
export async function deleteKeys(db: Db, ledger: string, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await db
    .deleteFrom('LedgerKeys')
    .where('ledgerId', '=', ledger)
    .where('keyHash', 'in', [...new Set(keys)].map(hashOf))
    .execute();
}

const hashOf = (keyText: string): string => createHash('sha256').update(keyText).digest('hex');

function charsOf(texts: Iterable<string>): number {
  let chars = 0;
  for (const { length } of texts) chars += length;
  return chars;
}
