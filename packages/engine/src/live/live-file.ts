/**
 * URLs of files. All components that show a stored file share one URL, which is revoked when the
 * last of them unmounts. A Blob gets its own URL in each component.
 */
import type { StoredFile } from '../files/read-file.ts';
import { asError, type LiveStore, listeners } from './live-store.ts';

/**
 * The content of a file (such as one that the user just chose), or the entry of a file in a
 * document that was read from the database.
 */
export type AnyFile = Blob | StoredFile;

/** The content of a file, and a URL for it. */
export interface LiveFile {
  /** An object URL, or the data URL of an SVG, once the content is loaded. */
  readonly url: string | undefined;
  readonly file: Blob | undefined;
  /** Why the content couldn't be loaded. */
  readonly error: Error | undefined;
  /** Retries after an error. The function is always the same. */
  retry(): void;
}

type FileState = Omit<LiveFile, 'retry'>;
type FileSource = Omit<LiveStore<LiveFile>, 'inputs'>;

const NOTHING: FileState = { url: undefined, file: undefined, error: undefined };

/**
 * Sources that have listeners, by the identity of the file. Equal entries share a source, even when
 * their documents are read again.
 */
const shown = new Map<string, FileSource>();

const isBlob = (file: AnyFile): file is Blob => 'arrayBuffer' in file;

/** Returns the identity of a file. A Blob equals only itself. */
const fileIdentity = (file: AnyFile | undefined): unknown =>
  file === undefined || isBlob(file) ? file : `${file.cid} ${file.type} ${file.lastModified}`;

/**
 * Returns the content of a file and a URL for it. The URL is revoked when the file has no more
 * listeners. The URL of an SVG is a data URL, so that its scripts never run on this origin. Fetches
 * the content from the ledger if it isn't on this device. When a document is read again, its equal
 * entries count as the same files.
 */
export function liveFile(file: AnyFile | undefined): LiveStore<LiveFile> {
  const inputs = [fileIdentity(file)];
  if (file === undefined) {
    const nothing = { ...NOTHING, retry: () => undefined };
    return { subscribe: () => () => undefined, current: () => nothing, inputs };
  }
  const [identity] = inputs;
  if (typeof identity !== 'string') return { ...sourceOf(async () => file as Blob, undefined), inputs };
  const own = sourceOf(() => (file as StoredFile).file(), identity);
  const source = () => shown.get(identity) ?? own;
  return {
    subscribe: (listener) => source().subscribe(listener),
    current: () => source().current(),
    inputs,
  };
}

function sourceOf(read: () => Promise<Blob>, identity: string | undefined): FileSource {
  let state: LiveFile = { ...NOTHING, retry };
  /**
   * Incremented by each load and by the last unsubscribe. A load drops its result when the session
   * has changed.
   */
  let session = 0;

  const observed = listeners(() => {
    if (identity !== undefined) shown.set(identity, source);
    void load();
    return () => {
      session += 1;
      if (state.url !== undefined) URL.revokeObjectURL(state.url);
      state = { ...NOTHING, retry };
      if (identity !== undefined && shown.get(identity) === source) shown.delete(identity);
    };
  });

  async function load(): Promise<void> {
    session += 1;
    const own = session;
    let next: FileState;
    try {
      const file = await read();
      if (own !== session) return;
      const url = await urlOf(file);
      if (own !== session) return URL.revokeObjectURL(url);
      next = { url, file, error: undefined };
    } catch (cause) {
      if (own !== session) return;
      next = { ...NOTHING, error: asError(cause) };
    }
    state = { ...next, retry };
    observed.tell();
  }

  function retry(): void {
    if (state.error !== undefined) void load();
  }
  const source: FileSource = { subscribe: observed.add, current: () => state };
  return source;
}

/**
 * Returns a URL that runs nothing on this origin when somebody opens it in a tab. Browsers run the
 * scripts of an SVG at an object URL, but not at a data URL, whose origin is opaque. Other images,
 * audio and video are inert; any other file becomes plain bytes.
 */
async function urlOf(file: Blob): Promise<string> {
  if (/^image\/.*xml/.test(file.type)) return dataUrlOf(file);
  const isInert = /^(image|audio|video)\//.test(file.type);
  return URL.createObjectURL(isInert ? file : new Blob([file], { type: 'application/octet-stream' }));
}

const dataUrlOf = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
