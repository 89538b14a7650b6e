/** Records of a sealed ledger that a device puts without being asked, before it sends anything. */
import { isFixpointError } from '@fixpoint/protocol';
import type { LedgerKeys } from '../crypto/ledger-keys.ts';
import type { LedgerParts } from './ledger-kind.ts';

/** Letters of one request that takes records out: a message has at most a megabyte. */
const WITHDRAWN_CHARS_MAX = 250_000;

type Parts = Pick<LedgerParts, 'publish' | 'withdraw' | 'platform'>;

/** Takes the key from devices that nobody with access announced, and keeps the list of records short. @throws what putting the rotation throws */
export async function renewKeys(keys: LedgerKeys, parts: Parts): Promise<void> {
  const rotation = await keys.rotateAway();
  if (rotation !== undefined) {
    await parts.publish([rotation]);
    await keys.learn([rotation]);
  }
  await linkKeys(keys, parts);
  if (rotation !== undefined) await tidyRecords(keys, parts);
}

/** Whoever gets the current key gets the earlier ones with it: ledgers of earlier versions have keys to which no record leads. */
export async function linkKeys(
  keys: LedgerKeys,
  { publish, platform }: Omit<Parts, 'withdraw'>,
): Promise<void> {
  const links = await keys.links();
  if (links.length === 0) return;
  await unlessRefused(platform.report, async () => {
    await publish(links);
    await keys.learn(links);
  });
}

/** Takes out the records that nobody needs once a chain of keys is in their place. */
export async function tidyRecords(keys: LedgerKeys, { publish, withdraw, platform }: Parts): Promise<void> {
  const found = await keys.supersededRecords();
  if (found === undefined) return;
  await unlessRefused(platform.report, async () => {
    await publish(found.first);
    await keys.learn(found.first);
    for (const part of partsOf(found.superseded)) await withdraw(part);
  });
}

/** What is only of use later keeps nothing from being sent. Somebody who may only read, or not take out what others put, leaves it to others. */
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
