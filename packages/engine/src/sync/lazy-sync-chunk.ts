/**
 * Rarely used features, bundled as one lazy chunk. Each further chunk would split shared code into
 * more pieces, which compress worse. The features are:
 *
 * - sealed ledgers, and their membership logs
 * - fetching dropped blocks and wanted files
 * - merging archive groups when archive headers have grown long
 * - transport over HTTP for gateways without websockets
 * - reporting and repairing what a ledger stores
 * - presence
 */
export { mergeWithDropped } from './down/fetch-dropped.ts';
export { fetchWanted } from './down/fetch-wanted-files.ts';
export { heldAt } from './down/ledger-holdings.ts';
export { removeEntries, withheldAt } from './down/withheld-report.ts';
export { ledgerDevices } from './ledger/ledger-devices.ts';
export { isHeadLost } from './ledger/rollback.ts';
export { openSealedLedger } from './ledger/sealed-ledger.ts';
export { enterPresence } from './presence/enter-presence.ts';
export { openHttp } from './transport/polling.ts';
export { mergeGroups } from './up/merge-groups.ts';
export { healObjects } from './up/upload-lost.ts';
