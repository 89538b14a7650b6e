'use client';

export type {
  AnyFile,
  AttachState,
  DraftOf,
  DraftState,
  LiveChanges,
  LiveCollectionFind,
  LiveConflicts,
  LiveDocs,
  LiveFind,
  LiveQuery,
  LiveQueryOptions,
  LiveRows,
  LiveRowsOptions,
} from 'fixpoint/live';
export { FileLink, FileLink as File, type FileLinkProps } from './files/file-link.tsx';
export { ImgFile, type ImgFileProps } from './files/img-file.tsx';
export { type UsedFile, useFile } from './files/use-file.ts';
export { useAllDocs, useChanges, useConflicts, useRows } from './live/use-docs.ts';
export { useFind } from './live/use-find.ts';
export { useLiveQuery } from './live/use-live-query.ts';
export { useSuspenseAllDocs, useSuspenseFind, useSuspenseLiveQuery } from './live/use-suspense.ts';
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
export { useHead, useKeyring, useSyncStatus } from './use-head.ts';
export { type UsedPresence, usePresence } from './use-presence.ts';
export { type UsedSessionDatabase, useSessionDatabase } from './use-session-database.ts';
