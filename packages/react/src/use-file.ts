import { useMemo, useSyncExternalStore } from 'react';
import { type AnyFile, type FileState, fileIdentity, fileSource } from './file-source.ts';
import { useKept } from './use-kept.ts';

/** What `useFile` gives. */
export interface UsedFile extends FileState {
  /** Reads again after an error; the same function at each render. */
  retry(): void;
}

/**
 * The content of a file and an object URL for it, which is revoked when no component shows the file any more. The content comes from the
 * ledger when it is not on this device. Entries of a document that was read anew count as the same file.
 */
export function useFile(file: AnyFile | undefined): UsedFile {
  const source = useKept(() => fileSource(file), [fileIdentity(file)]);
  const state = useSyncExternalStore(source.subscribe, source.current, source.current);
  return useMemo(() => ({ ...state, retry: source.retry }), [state, source]);
}
