export type { AttachState } from './attachment.ts';
export type { DraftOf, DraftState } from './document-draft.ts';
export { FileLink, FileLink as File, type FileLinkProps } from './files/file-link.tsx';
export type { AnyFile } from './files/file-source.ts';
export { ImgFile, type ImgFileProps } from './files/img-file.tsx';
export { type UsedFile, useFile } from './files/use-file.ts';
export { type LiveDocs, useAllDocs } from './live/use-all-docs.ts';
export { type LiveChanges, useChanges } from './live/use-changes.ts';
export { type LiveConflicts, useConflicts } from './live/use-conflicts.ts';
export { type LiveCollectionFind, type LiveFind, useFind } from './live/use-find.ts';
export { type LiveQuery, type LiveQueryOptions, useLiveQuery } from './live/use-live-query.ts';
export { type LiveRows, type LiveRowsOptions, useRows } from './live/use-rows.ts';
export {
  FixpointProvider,
  type FixpointProviderProps,
  type UsedSession,
  useSession,
} from './session-context.tsx';
export { type UsedAttach, useAttach } from './use-attach.ts';
export { type DocumentTuple, type UsedDocument, useDocument } from './use-document.ts';
export {
  type DatabaseHooks,
  type DatabaseHooksOf,
  type FixpointOptions,
  type UsedFixpoint,
  type UsedFixpointOf,
  useFixpoint,
} from './use-fixpoint.ts';
export { useHead } from './use-head.ts';
export { type UsedPresence, usePresence } from './use-presence.ts';
export { useSyncStatus } from './use-sync-status.ts';
