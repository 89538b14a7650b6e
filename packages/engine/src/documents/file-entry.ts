/**
 * Entries of `_files` and `_publicFiles`. An entry describes an attached file, whose content is in
 * separate archives.
 *
 * - `cid`: link, raw codec, sha2-256 of the whole content
 * - `car`: links to the file archives, in order; a long file has one for each part
 * - `size`: bytes of the content
 * - `type`: media type, may be empty
 * - `lastModified`: ms since 1970
 */
import { isFixpointError } from '@fixpoint/protocol';
import { CAR, type Cid, codecOf, parseCid, RAW } from '../codec/cid.ts';
import { isLink, link, linkCid } from '../codec/dag-cbor.ts';

/** The fields of a document that contain maps from names to files. */
export const FILE_MAPS = ['_files', '_publicFiles'] as const;

export interface FileEntry {
  readonly cid: Cid;
  readonly car: readonly Cid[];
  readonly size: number;
  readonly type: string;
  readonly lastModified: number;
}

/** Encodes an entry in the form in which a document contains it. */
export const encodeFileEntry = ({ cid, car, size, type, lastModified }: FileEntry) => ({
  cid: link(cid),
  type,
  size,
  car: car.map(link),
  lastModified,
});

/**
 * Parses a value in a file map; returns undefined when it isn't an entry. Links may also be texts,
 * because a JSON editor converts links to texts.
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

/** Returns those file fields of a document that are maps. */
export function fileMapsOf(doc: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>[] {
  return FILE_MAPS.flatMap((name) => {
    const map = doc[name];
    return typeof map === 'object' && map !== null && !Array.isArray(map)
      ? [map as Record<string, unknown>]
      : [];
  });
}

/** Returns the archives that contain the files of a document. */
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

/** Returns the text of a link in the form `bafk...` or `{"/": "bafk..."}`. */
const textIn = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && '/' in value ? value['/'] : value;
