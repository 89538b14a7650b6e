/** What only a sealed ledger needs, or a replica that misses what it dropped: loaded together, so that it is one script and what it shares with the rest is cut in few pieces. */
export { mergeWithDropped } from './dropped.ts';
export { ledgerDevices } from './ledger-devices.ts';
export { openSealedLedger } from './sealed-ledger.ts';
