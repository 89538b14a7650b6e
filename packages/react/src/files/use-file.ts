import { type AnyFile, type LiveFile, liveFile } from 'fixpoint/live';
import { useStore } from '../use-store.ts';

/** Result of `useFile`. */
export type UsedFile = LiveFile;

/**
 * Returns the content of a file and a URL for it. The URL is revoked when no component shows the
 * file any more. The URL of an SVG is a data URL, so that its scripts never run on this origin.
 * Fetches the content from the ledger if it isn't on this device. When a document is read again,
 * its equal entries count as the same files.
 */
export const useFile = (file: AnyFile | undefined): UsedFile => useStore(liveFile(file));
