/**
 * Rarely used features, bundled as one lazy chunk: sealed ledgers, refetching dropped blocks,
 * merging groups when headers are long, gateways without websockets, reporting what a ledger holds.
 * One chunk, so that shared code is split into few pieces.
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
