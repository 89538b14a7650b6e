import { useMemo, useSyncExternalStore } from 'react';
import { useKept } from '../use-kept.ts';
import { type AnyFile, type FileState, fileIdentity, fileSource } from './file-source.ts';

/** Result of `useFile`. */
export interface UsedFile extends FileState {
  /** Retries after an error. The function is the same in each render. */
  retry(): void;
}

/**
 * Returns the content of a file and a URL for it. The URL is revoked when no component shows the
 * file any more. The URL of an SVG is a data URL, so that its scripts never run on this origin.
 * Fetches the content from the ledger if it isn't on this device. When a document is read again,
 * its equal entries count as the same files.
 */
export function useFile(file: AnyFile | undefined): UsedFile {
  const source = useKept(() => fileSource(file), [fileIdentity(file)]);
  const state = useSyncExternalStore(source.subscribe, source.current, source.current);
  return useMemo(() => ({ ...state, retry: source.retry }), [state, source]);
}
