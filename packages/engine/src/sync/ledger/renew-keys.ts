/**
 * Publishes the key records that a device creates by itself, before it sends data to a sealed
 * ledger.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { LedgerKeys } from '../../crypto/ledger-keys.ts';
import type { Platform } from '../../ports/platform.ts';
import type { Session } from '../sync-session.ts';
import { ledgerFields } from '../transport/object-transfer.ts';

/**
 * Maximum number of characters in one request that removes records. A message may have at most a
 * megabyte.
 */
const WITHDRAWN_CHARS_MAX = 250_000;

/** The ledger's list of keys. */
export interface KeyList {
  readonly platform: Platform;
  /** Adds records to the list of keys. */
  readonly publish: (records: readonly string[]) => Promise<void>;
  /** Removes those records from the list of keys that this user may remove. */
  readonly withdraw: (records: readonly string[]) => Promise<void>;
}

/** Returns the list of keys at the remote. */
export function keyListAt({
  platform,
  target,
  connection,
}: Pick<Session, 'platform' | 'target' | 'connection'>): KeyList {
  const putRecords =
    <T extends 'Put' | 'Del'>(type: T, method: string) =>
    async (keys: readonly string[]) => {
      const open = connection();
      if (open === undefined) throw new FixpointError('CONNECTION_NOT_OPEN');
      const fields = {
        ...ledgerFields(target, 'meta', method, 'main'),
        meta: { metas: [], keys: [...keys] },
      };
      await open.request(`req${type}Meta`, `res${type}Meta`, fields);
    };
  return { platform, publish: putRecords('Put', 'PUT'), withdraw: putRecords('Del', 'DELETE') };
}

/**
 * Rotates the key if any other device that has it isn't announced by a user with access, so that
 * such devices don't get the new key. Also keeps the list of records short.
 * @throws any error of putting the rotation
 */
export async function renewKeys(keys: LedgerKeys, parts: KeyList): Promise<void> {
  const rotation = await keys.rotateAway();
  if (rotation.length > 0) {
    await parts.publish(rotation);
    await keys.learn(rotation);
  }
  await linkKeys(keys, parts);
  if (rotation.length > 0) await tidyRecords(keys, parts);
}

/**
 * Links earlier keys to the current key, so that a device with the current key also receives the
 * earlier ones. Ledgers of earlier versions of the engine have keys that no record links to.
 */
export async function linkKeys(
  keys: LedgerKeys,
  { publish, platform }: Omit<KeyList, 'withdraw'>,
): Promise<void> {
  const links = await keys.links();
  if (links.length === 0) return;
  await unlessRefused(platform.report, async () => {
    await publish(links);
    await keys.learn(links);
  });
}

/** Removes superseded records once a chain of keys replaces them. */
export async function tidyRecords(keys: LedgerKeys, { publish, withdraw, platform }: KeyList): Promise<void> {
  const found = await keys.supersededRecords();
  if (found === undefined) return;
  await unlessRefused(platform.report, async () => {
    await publish(found.first);
    await keys.learn(found.first);
    for (const part of partsOf(found.superseded)) await withdraw(part);
  });
}

/**
 * Reports failures of work that is only useful later instead of throwing them, so that they don't
 * block sending. Doesn't report a missing right, because another user's device then does the work.
 */
async function unlessRefused(report: (error: unknown) => void, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (!isFixpointError(cause)) throw cause;
    if (cause.code !== 'FORBIDDEN') report(cause);
  }
}

function partsOf(texts: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [];
  let chars = Number.POSITIVE_INFINITY;
  for (const text of texts) {
    chars += text.length;
    if (chars > WITHDRAWN_CHARS_MAX) {
      parts.push([]);
      chars = text.length;
    }
    parts.at(-1)?.push(text);
  }
  return parts;
}
