/** Compares the attached files of two versions of a document, and merges them. */
import type { Fields } from '../../../values/document-fields.ts';
import { toPlain } from '../../../values/plain-json.ts';
import { type Attachment, attachmentsOf } from '../document/attached-files.ts';
import type { Side } from './merge-fields.ts';

/** The files of the versions, in their fields. */
export interface Files {
  /** Undefined if the common base isn't on this device. */
  readonly base: Fields | undefined;
  readonly mine: Fields;
  readonly theirs: Fields;
  /** The decisions from when the user merged earlier versions into `mine`. */
  readonly decided?: FileDecisions;
}

/** Whether files are kept, by the contents that the user decided about. */
export type FileDecisions = ReadonlyMap<string, boolean>;

/** A file of one side, or the same file of both. */
export interface FileVersion extends Attachment {
  /** Identifies the side, the field and the name of the file. */
  readonly place: string;
  /** Identifies the name and the content of the file, on any side. */
  readonly content: string;
  /** Identifies the decision: the file here, on the other side and in the base. */
  readonly key: string;
  readonly on: Side | 'both';
  /** How the other side differs; undefined if it has the same file. */
  readonly other: 'missing' | 'removed' | 'different' | 'newer' | undefined;
  /** Whether this side added or changed the file. */
  readonly isChanged: boolean;
  /** Whether the file is kept unless the user decides otherwise. */
  readonly isKept: boolean;
}

/**
 * Returns all files of both versions. A file is kept, unless the other side removed or replaced it
 * and this side didn't change it. An earlier decision about the same content has priority.
 */
export function fileVersions({ base, mine, theirs, decided }: Files): readonly FileVersion[] {
  const [was, own, others] = [base ?? {}, mine, theirs].map(byPlace);
  const sides = [
    ['mine', own, others],
    ['theirs', others, own],
  ] as const;
  return sides.flatMap(([on, here, there]) =>
    [...(here ?? [])].flatMap(([at, file]): FileVersion[] => {
      const [before, counterpart] = [was?.get(at), there?.get(at)];
      const place = `${on} ${at}`;
      const content = `${at} ${jsonOf(file.entry)}`;
      const key = JSON.stringify([place, content, jsonOf(counterpart?.entry), jsonOf(before?.entry)]);
      const ids = { place, content, key };
      if (isSame(file, counterpart))
        return on === 'mine'
          ? [{ ...file, ...ids, on: 'both', other: undefined, isChanged: false, isKept: true }]
          : [];
      const isOld = isSame(file, before);
      const other =
        counterpart === undefined
          ? before === undefined
            ? 'missing'
            : 'removed'
          : isOld
            ? 'newer'
            : 'different';
      const isKept = decided?.get(content) ?? !isOld;
      return [{ ...file, ...ids, on, other, isChanged: !isOld, isKept }];
    }),
  );
}

const byPlace = (files: Fields): ReadonlyMap<string, Attachment> =>
  new Map(attachmentsOf(files).map((file) => [JSON.stringify([file.field, file.name]), file]));

const isSame = (file: Attachment, other: Attachment | undefined): boolean =>
  other !== undefined && jsonOf(file.entry) === jsonOf(other.entry);

const jsonOf = (entry: unknown): string => (entry === undefined ? '' : JSON.stringify(toPlain(entry)));

/**
 * Returns the names under which files are kept. If both sides have different files of the same
 * name, the second one gets a new name, so that no file is lost.
 */
export function keptNames(files: readonly FileVersion[]): ReadonlyMap<FileVersion, string> {
  const taken = new Set<string>();
  const names = new Map<FileVersion, string>();
  for (const file of files) {
    const name = freeName(file, taken);
    taken.add(placeOf(file.field, name));
    names.set(file, name);
  }
  return names;
}

/** Returns the files as fields of a document. */
export function filesOf(files: readonly FileVersion[]): Fields {
  const fields = new Map<string, [string, unknown][]>();
  for (const [{ field, entry }, name] of keptNames(files))
    fields.set(field, [...(fields.get(field) ?? []), [name, entry]]);
  return Object.fromEntries([...fields].map(([field, entries]) => [field, Object.fromEntries(entries)]));
}

const placeOf = (field: string, name: string): string => JSON.stringify([field, name]);

/** Returns a name such as "photo (2).png" if the name is taken. */
function freeName({ field, name }: Attachment, taken: ReadonlySet<string>): string {
  if (!taken.has(placeOf(field, name))) return name;
  const dot = name.lastIndexOf('.');
  const [start, end] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let count = 2; ; count += 1) {
    const next = `${start} (${count})${end}`;
    if (!taken.has(placeOf(field, next))) return next;
  }
}
