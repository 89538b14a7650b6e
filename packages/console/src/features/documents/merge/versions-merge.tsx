import type { DocumentConflicts, DocumentVersion, Stored } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { type ReactNode, useCallback, useState } from 'react';
import { useTask } from '../../../ui/overlays/use-task.ts';
import { ErrorPanel, Skeleton } from '../../../ui/pages/feedback.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { recordStep } from '../../../undo/undo-stack.ts';
import { writtenStep } from '../../../undo/written-step.ts';
import { type Fields, partsOf } from '../../../values/document-fields.ts';
import { titleOfDocument } from '../../../values/document-title.ts';
import { NOBODY, type People } from '../../../values/who-wrote.ts';
import { commonBase } from '../../history/conflicts/merge-base.ts';
import { resolveConflict, versionsKey } from '../../history/conflicts/resolve-conflict.ts';
import { useOwnDevice } from '../../history/stamp-text.tsx';
import { useLoaded } from '../../history/use-loaded.ts';
import { mergedFiles } from './merge-files.ts';
import { MergePage } from './merge-page.tsx';
import { factsOf, type SideFacts } from './side-facts.ts';

export interface VersionsMergeProps {
  readonly database: BridgedDatabase;
  readonly id: string;
  readonly conflict: DocumentConflicts;
  readonly people: People | undefined;
  readonly onDone: () => void;
  readonly children?: ReactNode;
}

/** The result so far, if more than two versions are in conflict. */
interface Progress {
  /** The versions that this is about. */
  readonly of: string;
  /** How many versions were merged into the first one. */
  readonly count: number;
  readonly merged: Fields;
}

/**
 * Merges the versions of a document that devices wrote at the same time, two at a time. Writes the
 * document only after the last one.
 */
export function VersionsMerge(props: VersionsMergeProps) {
  const { database, id, conflict, people = NOBODY, onDone, children } = props;
  const own = useOwnDevice(database);
  const { isBusy, run } = useTask();
  const key = versionsKey(conflict);
  const [first] = useState(key);
  const [progress, setProgress] = useState<Progress>();
  const versions = inOrder(conflict, own);
  const isGoingOn = progress?.of === key;
  const at = isGoingOn ? progress.count + 1 : 1;
  const [start, other] = [versions[0], versions[at]];
  const base = useBase(database, id, start, other);
  if (start === undefined || other === undefined || base.state === 'loading') return <Skeleton />;
  if (base.state === 'failed') return <ErrorPanel message={failureText(base.error)} />;
  const mine = isGoingOn ? progress.merged : fieldsOf(start);
  const isLast = at === versions.length - 1;
  const merge = (merged: Fields) => {
    if (!isLast) return setProgress({ of: key, count: at, merged });
    void run('Couldn’t merge the versions', async () => {
      const files = versions.map(({ value }) => partsOf(value ?? {}).files).reduce(mergedFiles);
      // A version may have an empty map of files, which is a field for the editor.
      const doc = { ...merged, ...files, _id: id } as Stored;
      const part = await resolveConflict(database, id, conflict, doc);
      if (part === undefined)
        throw new Error('somebody changed this document in the meantime. Choose again, then merge.');
      const label = `Merged ${versions.length} versions of ${titleOfDocument(id, merged)}`;
      recordStep(database, writtenStep(database, label, [part]));
      onDone();
    });
  };
  const otherFacts = factsOf('The other version', other, own, people);
  return (
    <MergePage
      // Choices between other versions don't count.
      key={`${key} ${at}`}
      {...{ id, mine, isBusy, otherFacts }}
      base={base.fields}
      theirs={fieldsOf(other)}
      mineFacts={mineFacts(start, isGoingOn, own, people)}
      hasChanged={first !== key}
      useText={isLast ? 'Use the merged document' : `Next version (${at} of ${versions.length - 1})`}
      onMerge={merge}
      onCancel={onDone}
    >
      {children}
    </MergePage>
  );
}

function mineFacts(
  version: DocumentVersion,
  isMerged: boolean,
  own: string | undefined,
  people: People,
): SideFacts {
  if (isMerged) return { name: 'Merged so far', person: undefined, text: 'Not saved yet' };
  return factsOf(version.device === own ? 'Mine' : 'Shown now', version, own, people);
}

/** Returns the version of this device first, or else the one that all devices show. */
function inOrder({ winner, losers }: DocumentConflicts, own: string | undefined): readonly DocumentVersion[] {
  const all = [winner, ...losers];
  const mine = all.find(({ device }) => device !== undefined && device === own) ?? winner;
  return [mine, ...all.filter((one) => one !== mine)];
}

const fieldsOf = ({ value = { _id: '' } }: DocumentVersion): Fields => partsOf(value).fields;

type Base =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'known'; readonly fields: Fields | undefined };

function useBase(
  database: BridgedDatabase,
  id: string,
  one: DocumentVersion | undefined,
  other: DocumentVersion | undefined,
): Base {
  const [first, second] = [one?.event ?? '', other?.event ?? ''];
  const { value, error } = useLoaded(
    database,
    useCallback(
      async (signal) => ({
        of: `${first} ${second}`,
        base: await commonBase(database, id, [first, second], signal),
      }),
      [database, id, first, second],
    ),
  );
  if (value === undefined || value.of !== `${first} ${second}`)
    return error === undefined ? { state: 'loading' } : { state: 'failed', error };
  const { base } = value;
  return { state: 'known', fields: base && partsOf(base.stored ?? {}).fields };
}
