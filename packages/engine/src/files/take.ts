/**
 * Separates the files of a document from its other fields before the document is stored. Runs
 * synchronously, so that later changes by the caller have no effect.
 */
import { FixpointError, LIMITS } from '@fixpoint/protocol';
import { encodeFileEntry, FILE_MAPS, parseFileEntry } from '../documents/file-entry.ts';
import { fileInput, type NewFile } from './file-input.ts';

/**
 * The names of one file map, in order. Each name has either a new file, or the entry that the
 * document will contain.
 */
export type FileMap = readonly (readonly [name: string, NewFile | object])[];

export interface TakenFiles {
  /** The document without its file maps, not validated yet. */
  readonly rest: Readonly<Record<string, unknown>>;
  /** File maps by name. */
  readonly maps: Readonly<Record<string, FileMap>>;
  readonly hasNew: boolean;
}

/**
 * Separates the files of a document from its other fields. Returns undefined if the document has no
 * files.
 * @throws FixpointError FILE_INVALID, LIMIT_REACHED
 */
export function takeFiles(doc: Readonly<Record<string, unknown>>): TakenFiles | undefined {
  if (typeof doc !== 'object' || doc === null || !FILE_MAPS.some((name) => isMap(doc[name])))
    return undefined;
  const rest: Record<string, unknown> = { ...doc };
  const maps: Record<string, FileMap> = {};
  let count = 0;
  let hasNew = false;
  for (const name of FILE_MAPS) {
    const map = rest[name];
    if (!isMap(map)) continue;
    delete rest[name];
    const files = Object.entries(map).filter(([, value]) => value !== undefined);
    maps[name] = files.map(([file, value]) => {
      const taken = takeFile(`${name}.${file}`, value);
      hasNew ||= 'open' in taken;
      return [file, taken] as const;
    });
    count += files.length;
  }
  if (count > LIMITS.filesPerDocumentMax)
    throw new FixpointError('LIMIT_REACHED', `${LIMITS.filesPerDocumentMax} files of a document`);
  return { rest, maps, hasNew };
}

/** Encodes the maps of a document whose files are all stored already. */
export const encodeMaps = ({ maps }: TakenFiles): Record<string, unknown> =>
  Object.fromEntries(Object.entries(maps).map(([name, map]) => [name, Object.fromEntries(map)]));

function takeFile(path: string, value: unknown): NewFile | object {
  const entry = parseFileEntry(value);
  if (entry !== undefined) return encodeFileEntry(entry);
  const file = fileInput(value);
  if (file !== undefined) return file;
  // An entry that another program created is kept unchanged.
  if (typeof value === 'object' && value !== null && 'cid' in value) return value;
  throw new FixpointError('FILE_INVALID', `${path} is neither a file nor an entry of one`);
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
};
