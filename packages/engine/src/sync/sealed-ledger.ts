/** What a sealed ledger is opened with: `docs/internals/sealed-ledgers.md`. */
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
}: Pick<LedgerParts, 'commits' | 'platform' | 'memory' | 'target'>): Promise<SealedLedger> {
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
  return { keys, sealing: sealedSealing({ ledger, keys, memory, random }) };
}
