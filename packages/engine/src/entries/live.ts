/** `fixpoint/live`: values of a database that change, for user interfaces of any framework. */
export type { DraftOf, DraftState } from '../live/document-draft.ts';
export { type AttachState, type LiveAttach, liveAttach, liveSyncStatus } from '../live/live-attachment.ts';
export {
  type LiveChanges,
  type LiveConflicts,
  type LiveDocs,
  liveAllDocs,
  liveChanges,
  liveConflicts,
} from '../live/live-docs.ts';
export { type LiveDocument, liveDocument, type WithFiles } from '../live/live-document.ts';
export { type AnyFile, type LiveFile, liveFile } from '../live/live-file.ts';
export { type LiveCollectionFind, type LiveFind, liveFind } from '../live/live-find.ts';
export { liveHead } from '../live/live-head.ts';
export { liveKeyring } from '../live/live-keyring.ts';
export { type LivePresence, livePresence, type ShownPresence } from '../live/live-presence.ts';
export { type LiveQuery, type LiveQueryOptions, liveQuery } from '../live/live-query.ts';
export { type LiveRows, type LiveRowsOptions, liveRows } from '../live/live-rows.ts';
export { type LiveStore, sameStore } from '../live/live-store.ts';
export type { LoadState } from '../live/loaded-store.ts';
