import { Paperclip } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Avatar } from '../../../ui/avatar.tsx';
import { bytesText } from '../../../values/bytes-text.ts';
import type { Fields } from '../../../values/document-fields.ts';
import {
  type FileDecisions,
  type Files,
  type FileVersion,
  filesOf,
  fileVersions,
  keptNames,
} from '../choices/merge-files.ts';
import { useKept } from '../choices/use-kept.ts';

export interface FileChoices {
  readonly versions: readonly FileVersion[];
  /** The files to keep, each with its name in the merged document. */
  readonly kept: ReadonlyMap<FileVersion, string>;
  /** Whether the user decided about a file. */
  readonly isTouched: boolean;
  /** Files that changed on a side after the user decided about them. */
  readonly outdated: readonly FileVersion[];
  readonly keep: (file: FileVersion, isKept: boolean) => void;
  /** The fields of the merged document that hold files. */
  readonly result: Fields;
  /** Returns the decisions of this merge and earlier ones, for merging the next version. */
  readonly decisions: () => FileDecisions;
}

interface Made {
  readonly place: string;
  readonly isKept: boolean;
}

const NONE: ReadonlyMap<string, Made> = new Map();
const NO_FILES: Files = { base: {}, mine: {}, theirs: {} };

/** Returns which files are kept. The parameters are those of the choices of fields. */
export function useFileChoices(files: Files = NO_FILES, page?: object, name = ''): FileChoices {
  const { base, mine, theirs, decided } = files;
  const [own] = useState({});
  const [made, change] = useKept(page ?? own, `files ${name}`, NONE);
  const versions = useMemo(
    () => fileVersions({ base, mine, theirs, ...(decided && { decided }) }),
    [base, mine, theirs, decided],
  );
  const isKeptNow = ({ key, isKept }: FileVersion) => made.get(key)?.isKept ?? isKept;
  const kept = versions.filter(isKeptNow);
  const places = new Set([...made.values()].map(({ place }) => place));
  return {
    versions,
    kept: keptNames(kept),
    isTouched: versions.some(({ key }) => made.has(key)),
    outdated: versions.filter(({ on, place, key }) => on !== 'both' && places.has(place) && !made.has(key)),
    keep: ({ key, place }, isKept) => change((now) => new Map(now).set(key, { place, isKept })),
    result: filesOf(kept),
    decisions: () =>
      new Map([
        ...(decided ?? []),
        ...versions
          .filter(({ key }) => made.has(key))
          .map((one): [string, boolean] => [one.content, isKeptNow(one)]),
      ]),
  };
}

export interface MergedFilesProps {
  readonly choices: FileChoices;
  /** Name of each side. */
  readonly mine: string;
  readonly other: string;
  readonly otherPerson: string | undefined;
}

/** Lists the files in which both versions differ, and lets the user choose which to keep. */
export function MergedFiles({ choices, ...names }: MergedFilesProps) {
  const differing = choices.versions.filter(({ on }) => on !== 'both');
  const same = choices.versions.length - differing.length;
  if (differing.length === 0) return null;
  return (
    <section aria-label="Files">
      <div className="flex min-h-10 items-center gap-2 border-b border-line px-4 py-1">
        <Paperclip size={14} aria-hidden className="shrink-0 text-ink-3" />
        <p>
          <b className="font-medium">Files</b>{' '}
          <span className="text-ink-3">
            Keep those that you tick.
            {same > 0 && ` ${same === 1 ? '1 more is' : `${same} more are`} the same in both.`}
          </span>
        </p>
      </div>
      <ul>
        {differing.map((file) => (
          <Row key={file.place} {...{ file, choices, ...names }} />
        ))}
      </ul>
    </section>
  );
}

function Row({ file, choices, mine, other, otherPerson }: MergedFilesProps & { readonly file: FileVersion }) {
  const { name, on, entry } = file;
  const isMine = on === 'mine';
  const side = isMine ? mine : other;
  const keptAs = choices.kept.get(file);
  return (
    <li className="grid min-h-8 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 border-b border-line px-4 py-1 text-ink-2">
      <label className="flex min-w-0 cursor-pointer flex-wrap items-center gap-x-2.5">
        <input
          type="checkbox"
          checked={keptAs !== undefined}
          onChange={({ target }) => choices.keep(file, target.checked)}
          className="size-3.5 accent-accent"
        />
        <span className={`wrap-anywhere font-medium ${keptAs === undefined ? 'text-ink-3' : 'text-ink'}`}>
          {name}
        </span>
        <span className="text-xs text-ink-3 tabular-nums">
          {entry.type || 'unknown type'} · {bytesText(entry.size)}
        </span>
        <span className="sr-only">, {side}</span>
        <span className="text-xs text-ink-3">{noteOf(file, isMine ? other : mine)}</span>
        {keptAs !== undefined && keptAs !== name && (
          <span className="text-xs text-accent-ink">kept as {keptAs}</span>
        )}
      </label>
      <span aria-hidden className="inline-flex items-center gap-1.5 text-xs text-ink-3">
        <Avatar name={isMine ? undefined : otherPerson} isSmall />
        {side}
      </span>
    </li>
  );
}

/** @param rival name of the side without this version of the file */
function noteOf({ other, isChanged }: FileVersion, rival: string): string {
  if (other === 'missing') return `not in: ${rival}`;
  if (other === 'removed') return `${isChanged ? 'changed here, ' : ''}removed in: ${rival}`;
  return other === 'newer' ? `replaced in: ${rival}` : '';
}
