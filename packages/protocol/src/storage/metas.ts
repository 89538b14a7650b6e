import * as v from './shape.ts';

/**
 * One step of a ledger's history, opaque to the server. `cid` is the CID of the event block; `data`
 * is that block as multibase base64pad text. `parents` is often empty and implies no order.
 */
export const metaEntry = v.looseObject({ cid: v.string(), parents: v.array(v.string()), data: v.string() });
export type MetaEntry = v.InferOutput<typeof metaEntry>;

/**
 * Kinds of ledgers, by who can read the content: only its members' devices, or the cloud, too. A
 * ledger never changes its kind.
 */
export const LEDGER_KINDS = ['sealed', 'open-key'] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

/** A device or recovery code of a sealed ledger, announced by a user with access. */
export const ledgerDevice = v.looseObject({
  /** Public key, base64url. */
  pub: v.string(),
  /** Id of the user who announced the device; missing when the user wasn't recorded. */
  user: v.optional(v.string()),
  /** When the device was announced, as ISO text. */
  since: v.optional(v.string()),
});
export type LedgerDeviceEntry = v.InferOutput<typeof ledgerDevice>;

/** When the server received an entry, and from whom. */
export const receivedEntry = v.looseObject({
  cid: v.string(),
  /** Number of the entry: each entry that the server receives for a ledger gets the next one. */
  seq: v.number(),
  /** When the server received the entry, as ISO text. */
  at: v.string(),
  /** Id of the user who put the entry. */
  account: v.string(),
});
export type ReceivedEntry = v.InferOutput<typeof receivedEntry>;

/**
 * Entries, and the keys of the ledger: plain in open-key ledgers, encrypted for devices in sealed
 * ledgers.
 */
export const metas = v.looseObject({ metas: v.array(metaEntry), keys: v.array(v.string()) });
export interface Metas {
  readonly metas: readonly MetaEntry[];
  readonly keys: readonly string[];
}
