/** Reads, attaches and removes files of documents. */
import type { IncomingMessage } from 'node:http';
import { FixpointError } from '@fixpoint/protocol';
import type { Database, StoredFile } from 'fixpoint';
import { type Answer, ApiError } from './answers.ts';
import { isKnown } from './call-values.ts';

/** A file of a document, as the path of a request names it. */
interface FileCall {
  readonly request: IncomingMessage;
  readonly id: string;
  readonly name: string;
  readonly body: unknown;
}

type Files = Readonly<Record<string, StoredFile | File>>;

/** Returns the files of a document. Its field may have any value, because an editor wrote it. */
function filesOf(doc: object): Files {
  const { _files } = doc as { readonly _files?: unknown };
  return typeof _files === 'object' && _files !== null && !Array.isArray(_files) ? (_files as Files) : {};
}

/** The type of a file without one, and of a request that doesn't say its type. */
const ANY_TYPE = 'application/octet-stream';
/** Texts that a header may contain. */
const HEADER_TEXT = /^[\x20-\x7e]+$/;

/** @throws FixpointError NOT_FOUND; ApiError for a range that the file doesn't have */
export async function getFile(db: Database, { request, id, name }: FileCall): Promise<Answer> {
  const file = storedFile(await db.get(id), id, name);
  const { size, type, lastModified } = file;
  const modified = new Date(typeof lastModified === 'number' ? lastModified : Number.NaN);
  const etag = `"${linkText(file.cid)}"`;
  if (isKnown(request, etag)) return { status: 304, headers: { etag } };
  const range = rangeOf(request, size, etag);
  const { from, to } = range ?? { from: 0, to: size };
  return {
    status: range === undefined ? 200 : 206,
    headers: {
      ...{ etag, 'content-length': String(to - from), 'accept-ranges': 'bytes' },
      'content-type': typeof type === 'string' && HEADER_TEXT.test(type) ? type : ANY_TYPE,
      ...(range && { 'content-range': `bytes ${from}-${to - 1}/${size}` }),
      ...(!Number.isNaN(modified.getTime()) && { 'last-modified': modified.toUTCString() }),
      // A browser must not show a page that somebody attached as a page of this address.
      'content-disposition': 'attachment',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    },
    content: partOf(file.stream(), { from, to }, size),
  };
}

/**
 * Returns a file of a document.
 * @throws FixpointError NOT_FOUND also for an entry that doesn't describe a file, because an editor
 * or another client wrote it
 */
function storedFile(doc: object, id: string, name: string): StoredFile {
  const files = filesOf(doc);
  if (!Object.hasOwn(files, name)) throw new FixpointError('NOT_FOUND', `the file ${name} of ${id}`);
  const file = files[name] as Partial<StoredFile> | null | undefined;
  // The engine adds `stream` to entries whose links it can read.
  if (typeof file?.stream === 'function' && Number.isSafeInteger(file.size) && Number(file.size) >= 0)
    return file as StoredFile;
  throw new FixpointError('NOT_FOUND', `the entry ${name} of ${id} doesn't describe a file`);
}

/** Returns the text of a link, which a JSON editor may have written as `{"/": "bafk..."}`. */
function linkText(link: unknown): string {
  const inner = typeof link === 'object' && link !== null && '/' in link ? link['/'] : undefined;
  return typeof inner === 'string' ? inner : String(link);
}

/**
 * Attaches a file, or replaces one.
 * @throws FixpointError NOT_FOUND without the document
 */
export async function putFile(db: Database, { request, id, name, body }: FileCall): Promise<void> {
  const type = request.headers['content-type'] ?? ANY_TYPE;
  const file = new File([body as Uint8Array<ArrayBuffer>], name, { type });
  await db.update(id, (current) => {
    if (current === undefined) throw new FixpointError('NOT_FOUND', id);
    return { ...current, _files: { ...filesOf(current), [name]: file } };
  });
}

/** @throws FixpointError NOT_FOUND without the document */
export async function deleteFile(db: Database, { id, name }: FileCall): Promise<void> {
  if (!Object.hasOwn(filesOf(await db.get(id)), name)) return;
  await db.update(id, (current) => {
    if (current === undefined) throw new FixpointError('NOT_FOUND', id);
    const { [name]: _, ...others } = filesOf(current);
    const { _files, ...doc } = current as Record<string, unknown>;
    return Object.keys(others).length === 0 ? doc : { ...doc, _files: others };
  });
}

interface Range {
  readonly from: number;
  /** The first byte after the range. */
  readonly to: number;
}

/**
 * Returns the requested range; undefined for the whole file. Ignores several ranges, and other
 * units, as RFC 9110 allows.
 * @throws ApiError
 */
function rangeOf({ headers }: IncomingMessage, size: number, etag: string): Range | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? [];
  const isOther = headers['if-range'] !== undefined && headers['if-range'] !== etag;
  if (isOther || first + last === '') return undefined;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  if (from < size && from < to) return { from, to };
  throw new ApiError(416, 'REQUEST_INVALID', `the file has ${size} bytes`, {
    'content-range': `bytes */${size}`,
  });
}

/**
 * Returns a part of a stream. Ends the stream once the part is complete.
 * @throws FixpointError CORRUPT if the stream isn't as long as the document says
 */
async function* partOf(stream: ReadableStream<Uint8Array>, { from, to }: Range, size: number) {
  let at = 0;
  for await (const bytes of stream as unknown as AsyncIterable<Uint8Array>) {
    const part = bytes.subarray(Math.max(0, from - at), Math.max(0, to - at));
    at += bytes.length;
    if (at > size) break;
    if (part.length > 0) yield part;
    if (at >= to) return;
  }
  // The answer has begun already, so the client sees that it isn't complete.
  if (at !== size) throw new FixpointError('CORRUPT', 'the file has another length than its document says');
}
