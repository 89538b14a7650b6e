/**
 * URLs of files. All components that show a stored file share one URL, which is revoked when the
 * last of them unmounts. A Blob gets its own URL in each component.
 */
import type { StoredFile } from 'fixpoint';
import { asError, listeners, type Observer } from '../observer.ts';

/**
 * The content of a file (such as one that the user just chose), or the entry of a file in a
 * document that was read from the database.
 */
export type AnyFile = Blob | StoredFile;

export interface FileState {
  /** An object URL, or the data URL of an SVG, once the content is loaded. */
  readonly url: string | undefined;
  readonly file: Blob | undefined;
  /** Why the content couldn't be loaded. */
  readonly error: Error | undefined;
}

export interface FileSource extends Observer<FileState> {
  /** Retries after an error. */
  retry(): void;
}

const NOTHING: FileState = { url: undefined, file: undefined, error: undefined };

/**
 * Sources that have listeners, by the identity of the file. Equal entries share a source, even when
 * their documents are read again.
 */
const shown = new Map<string, FileSource>();

const isBlob = (file: AnyFile): file is Blob => 'arrayBuffer' in file;

/** Returns the identity of a file. A Blob equals only itself. */
export const fileIdentity = (file: AnyFile | undefined): unknown =>
  file === undefined || isBlob(file) ? file : `${file.cid} ${file.type} ${file.lastModified}`;

/** Returns the source of a file, which loads the file when the first listener subscribes. */
export function fileSource(file: AnyFile | undefined): FileSource {
  if (file === undefined)
    return { subscribe: () => () => undefined, current: () => NOTHING, retry: () => undefined };
  const identity = fileIdentity(file);
  if (typeof identity !== 'string') return sourceOf(() => Promise.resolve(file as Blob), undefined);
  const own = sourceOf(() => (file as StoredFile).file(), identity);
  const source = () => shown.get(identity) ?? own;
  return {
    subscribe: (listener) => source().subscribe(listener),
    current: () => source().current(),
    retry: () => source().retry(),
  };
}

function sourceOf(read: () => Promise<Blob>, identity: string | undefined): FileSource {
  let state = NOTHING;
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
      state = NOTHING;
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
    state = next;
    observed.tell();
  }

  const source: FileSource = {
    subscribe: observed.add,
    current: () => state,
    retry: () => {
      if (state.error !== undefined) void load();
    },
  };
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
