/**
 * Entries of `_files` and `_publicFiles`: what a document says of an attached file, whose content lies in archives of its own.
 *
 * | Field        | Value                                                                                       |
 * | ------------ | ------------------------------------------------------------------------------------------- |
 * | cid          | link, raw codec, sha2-256 of the whole content                                              |
 * | car          | links to the file archives: one, or for a long file one for each part of it, in order       |
 * | size         | bytes of the content                                                                        |
 * | type         | media type, may be empty                                                                    |
 * | lastModified | ms since 1970                                                                               |
 */
import { isFixpointError } from '@fixpoint/protocol';
import { CAR, type Cid, codecOf, parseCid, RAW } from '../codec/cid.ts';
import { isLink, link, linkCid } from '../codec/dag-cbor.ts';

/** The fields of a document that hold files, by name. */
export const FILE_MAPS = ['_files', '_publicFiles'] as const;

export interface FileEntry {
  readonly cid: Cid;
  readonly car: readonly Cid[];
  readonly size: number;
  readonly type: string;
  readonly lastModified: number;
}

/** The entry as a document holds it. */
export const encodeFileEntry = ({ cid, car, size, type, lastModified }: FileEntry) => ({
  cid: link(cid),
  type,
  size,
  car: car.map(link),
  lastModified,
});

/**
 * What a value in a file map says of a file; undefined when it is no entry. Links may be texts too,
 * as an editor of JSON leaves them.
 */
export function parseFileEntry(value: unknown): FileEntry | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { cid, car, size, type, lastModified } = value as Record<string, unknown>;
  const content = linkedCid(cid, RAW);
  const archives = (Array.isArray(car) ? car : [car]).map((one) => linkedCid(one, CAR));
  const known = archives.filter((archive) => archive !== undefined);
  if (content === undefined || known.length === 0 || known.length < archives.length) return undefined;
  return {
    cid: content,
    car: known,
    size: typeof size === 'number' ? size : 0,
    type: typeof type === 'string' ? type : '',
    lastModified: typeof lastModified === 'number' ? lastModified : 0,
  };
}

/** The file maps of a document, as far as they are maps. */
export function fileMapsOf(doc: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>[] {
  return FILE_MAPS.flatMap((name) => {
    const map = doc[name];
    return typeof map === 'object' && map !== null && !Array.isArray(map)
      ? [map as Record<string, unknown>]
      : [];
  });
}

/** The archives that hold the files of a document. */
export const fileArchivesOf = (doc: Readonly<Record<string, unknown>>): Cid[] =>
  fileMapsOf(doc).flatMap((map) => Object.values(map).flatMap((entry) => parseFileEntry(entry)?.car ?? []));

function linkedCid(value: unknown, codec: number): Cid | undefined {
  try {
    const cid = isLink(value) ? linkCid(value) : parseCid(textIn(value));
    return codecOf(cid) === codec ? cid : undefined;
  } catch (cause) {
    if (isFixpointError(cause, 'CORRUPT')) return undefined;
    throw cause;
  }
}

/** Of `bafk...` or `{"/": "bafk..."}`. */
const textIn = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && '/' in value ? value['/'] : value;
