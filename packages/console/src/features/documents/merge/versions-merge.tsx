import type { DocumentConflicts, DocumentVersion, Stored } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react';
import { useTask } from '../../../ui/overlays/use-task.ts';
import { ErrorPanel, Skeleton } from '../../../ui/pages/feedback.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { versionsKey } from '../../../undo/open-conflicts.ts';
import { recordStep } from '../../../undo/undo-stack.ts';
import { writtenStep } from '../../../undo/written-step.ts';
import { type Fields, partsOf } from '../../../values/document-fields.ts';
import { titleOfDocument } from '../../../values/document-title.ts';
import { NOBODY, type People } from '../../../values/who-wrote.ts';
import { commonBase } from '../../history/conflicts/merge-base.ts';
import { resolveConflict, UNDO_NOTE } from '../../history/conflicts/resolve-conflict.ts';
import { useLoaded } from '../../history/use-loaded.ts';
import type { Decisions } from '../choices/merge-choices.ts';
import type { FileDecisions } from '../choices/merge-files.ts';
import { forgetKept, useKept } from '../choices/use-kept.ts';
import { MergePage } from './merge-page.tsx';
import { type MergeStep, type NextStep, nextStep, partsOfVersion } from './merge-steps.ts';
import { ending, hasEnded } from './merging.ts';
import { factsOf, type SideFacts } from './side-facts.ts';

export interface VersionsMergeProps {
  readonly database: BridgedDatabase;
  readonly id: string;
  readonly conflict: DocumentConflicts;
  readonly people: People | undefined;
  /** Lasts as long as the page of the document. */
  readonly page: object;
  readonly onDone: () => void;
  readonly children?: ReactNode;
}

const NO_STEPS: readonly MergeStep[] = [];

/**
 * Merges the versions of a document that devices wrote at the same time, two at a time. Writes the
 * document only after the last one. If a device writes another version, choices that still apply
 * are kept.
 */
export function VersionsMerge(props: VersionsMergeProps) {
  const { database, id, conflict, page, people = NOBODY, onDone, children } = props;
  const { isBusy, run } = useTask();
  const [steps, changeSteps] = useKept(page, 'steps', NO_STEPS);
  const { shown, error } = useShown(database, id, conflict, steps);
  useEffect(() => hasEnded(page), [page]);
  const sides = useMemo(() => shown && sidesOf(shown), [shown]);
  if (error !== undefined) return <ErrorPanel message={failureText(error)} />;
  if (shown === undefined || sides === undefined) return <Skeleton />;
  const { start, other, done, count, own } = shown;
  const isLast = done.length === count - 2;
  const merge = (merged: Fields, decided: Decisions, decidedFiles: FileDecisions) => {
    const step: MergeStep = { events: [start.event, other.event], merged, decided, decidedFiles };
    if (!isLast) return changeSteps(() => [...done, step]);
    void run('Couldn’t merge the versions', async () => {
      const part = await ending(page, () =>
        resolveConflict(database, id, shown.conflict, { ...merged, _id: id } as Stored),
      );
      const label = `Merged ${count} versions of ${titleOfDocument(id, merged)}`;
      recordStep(database, { ...writtenStep(database, label, [part]), undoNote: UNDO_NOTE });
      forgetKept(page);
      onDone();
    });
  };
  return (
    <MergePage
      key={done.length}
      {...{ id, page, ...sides }}
      baseMs={shown.baseMs}
      name={other.device ?? other.event}
      // Until the current versions have loaded, the page shows the previous ones.
      isBusy={isBusy || shown.steps !== steps || versionsKey(shown.conflict) !== versionsKey(conflict)}
      isUnsaved={done.length > 0}
      mineFacts={mineFacts(start, done.length > 0, own, people)}
      otherFacts={factsOf('The other version', other, own, people)}
      useText={isLast ? 'Use the merged document' : `Next version (${done.length + 1} of ${count - 1})`}
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

/** The versions that the page shows, which belong to the same state of the conflict. */
interface Shown extends NextStep {
  readonly conflict: DocumentConflicts;
  readonly steps: readonly MergeStep[];
  readonly own: string | undefined;
  /** The common base with its files; undefined if it isn't on this device. */
  readonly base: Fields | undefined;
  readonly baseMs: number | undefined;
}

function sidesOf({ start, other, done, base }: Shown) {
  const last = done.at(-1);
  const mine = last === undefined ? partsOfVersion(start) : partsOf(last.merged);
  const theirs = partsOfVersion(other);
  const was = base && partsOf(base);
  return {
    base: was?.fields,
    mine: mine.fields,
    theirs: theirs.fields,
    files: {
      ...{ base: was?.files, mine: mine.files, theirs: theirs.files },
      ...(last && { decided: last.decidedFiles }),
    },
    ...(last && { decided: last.decided }),
  };
}

/** Loads the next step. The previous one stays until then. */
function useShown(
  database: BridgedDatabase,
  id: string,
  conflict: DocumentConflicts,
  steps: readonly MergeStep[],
): { readonly shown: Shown | undefined; readonly error: unknown } {
  // A conflict is a new object whenever the database changes.
  const held = useRef(conflict);
  if (versionsKey(held.current) !== versionsKey(conflict)) held.current = conflict;
  const same = held.current;
  const { value, error } = useLoaded(
    database,
    useCallback(
      async (signal) => {
        const own = await database.device();
        const next = nextStep(same, own, steps);
        if (next === undefined) return undefined;
        const found = await commonBase(database, id, [next.start.event, next.other.event], signal);
        const base = found && (found.stored ?? {});
        return { ...next, own, steps, conflict: same, base, baseMs: found?.ms };
      },
      [database, id, same, steps],
    ),
  );
  return { shown: value, error };
}
