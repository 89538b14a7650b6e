import * as z from 'zod/mini';

/**
 * One step of a ledger's history, opaque to the server. `cid` names the event block, `data` is the block as multibase base64pad text; `parents` is
 * often empty and says nothing about order.
 */
export const metaEntry = z.looseObject({ cid: z.string(), parents: z.array(z.string()), data: z.string() });
export type MetaEntry = z.infer<typeof metaEntry>;

/** Who can open what a ledger holds: the devices of its members alone, or the cloud too. Settled once for each ledger. */
export const LEDGER_KINDS = ['sealed', 'open-key'] as const;
export const ledgerKind = z.enum(LEDGER_KINDS);
export type LedgerKind = z.infer<typeof ledgerKind>;

/** Entries, and the keys of the ledger: raw in open-key ledgers, wrapped to devices in sealed ones. */
export const metas = z.looseObject({ metas: z.array(metaEntry), keys: z.array(z.string()) });
export interface Metas {
  readonly metas: readonly MetaEntry[];
  readonly keys: readonly string[];
}
