/** Object URLs of files: one for each file however many components show it, revoked when the last of them has gone. */
import type { StoredFile } from 'fixpoint';
import { asError, listeners, type Observer } from './observer.ts';

/** A file as an application has it (such as one that was just chosen), or as it stands in a document that was read. */
export type AnyFile = Blob | StoredFile;

export interface FileState {
  /** An object URL while the content is at hand. */
  readonly url: string | undefined;
  readonly file: Blob | undefined;
  /** Why the content could not be had. */
  readonly error: Error | undefined;
}

export interface FileSource extends Observer<FileState> {
  /** Reads again after an error. */
  retry(): void;
}

const NOTHING: FileState = { url: undefined, file: undefined, error: undefined };

/** Sources that somebody listens to, by content: equal entries of documents that were read anew are one file. */
const shown = new Map<string, FileSource>();

const isBlob = (file: AnyFile): file is Blob => 'arrayBuffer' in file;

/** What tells one file from another. A Blob is only itself. */
export const fileIdentity = (file: AnyFile | undefined): unknown =>
  file === undefined || isBlob(file) ? file : `${file.cid} ${file.type} ${file.lastModified}`;

/** The source of a file. It reads when the first listener comes. */
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
  /** Rises with each start and end: what was asked for before concerns nobody. */
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
      next = { url: URL.createObjectURL(harmless(file)), file, error: undefined };
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

/** What a browser would run or show as a page of this origin, when somebody opens its URL, is given out as mere bytes. */
const harmless = (file: Blob): Blob =>
  /^(image|audio|video)\//.test(file.type) ? file : new Blob([file], { type: 'application/octet-stream' });
