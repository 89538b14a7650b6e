/** What a sealed ledger is opened with: `docs/internals/sealed-ledgers.md`. */
import { isFixpointError } from '@fixpoint/protocol';
import { encode } from '../codec/dag-cbor.ts';
import { type LedgerKeys, openLedgerKeys } from '../crypto/ledger-keys.ts';
import type { LedgerParts } from './ledger-kind.ts';
import type { LedgerSealing } from './ledger-sealing.ts';
import { sealedSealing } from './sealed-sealing.ts';

export interface SealedLedger {
  readonly keys: LedgerKeys;
  readonly sealing: LedgerSealing;
}

/** @throws FixpointError CORRUPT when the rows of its keys are damaged */
export async function openSealedLedger({
  commits,
  platform: { random, report },
  memory,
  target,
  publish,
}: Pick<LedgerParts, 'commits' | 'platform' | 'memory' | 'target' | 'publish'>): Promise<SealedLedger> {
  const ledger = encode([target.tenant, target.ledger]);
  const prefix = `${memory.prefix}secret/`;
  const keys = await openLedgerKeys({
    ledger,
    random,
    report,
    prefix,
    rows: await commits.remembered(prefix),
    save: (rows) => commits.markUploaded([], rows),
    reread: () => commits.remembered(prefix),
  });
  const sealing = sealedSealing({ ledger, keys, memory, random });
  return { keys, sealing: { ...sealing, learn: learnAndAnnounce(keys, publish) } };
}

/**
 * Announces this device again when the server doesn't list it any more, as after its tables were restored from an older copy: nobody could let it in, and devices
 * that are in would leave it out. The server rejects this from a user who has no access any more.
 */
function learnAndAnnounce(keys: LedgerKeys, publish: LedgerParts['publish']): LedgerSealing['learn'] {
  let wasAnnounced = false;
  return async (texts, said) => {
    const isNews = await keys.learn(texts, said);
    const isLost = wasAnnounced && !keys.isAnnounced();
    wasAnnounced = keys.isAnnounced() || (isLost && !(await isAnswered(publish([keys.announcement()]))));
    return isNews;
  };
}

/** Whether the server took it or rejected it, so that it isn't tried again. */
const isAnswered = (put: Promise<void>): Promise<boolean> =>
  put.then(
    () => true,
    (cause) => {
      if (!isFixpointError(cause)) throw cause;
      return cause.code === 'FORBIDDEN';
    },
  );
