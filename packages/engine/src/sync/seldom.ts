/**
 * Loaded when it is needed: what only a sealed ledger has, a replica that misses what it dropped, headers that have grown long, a gateway without websockets, a look at what a ledger holds. One script for all of these, so that what
 * it shares with the rest is cut in few pieces.
 */
export { mergeWithDropped } from './dropped.ts';
export { healObjects } from './heal.ts';
export { heldAt } from './held.ts';
export { ledgerDevices } from './ledger-devices.ts';
export { mergeGroups } from './merge-groups.ts';
export { renewKeys } from './renew-keys.ts';
export { compareListed } from './rollback.ts';
export { openSealedLedger } from './sealed-ledger.ts';
export { openHttp } from './transport/polling.ts';
export { removeEntries, withheldAt } from './withheld-entries.ts';
