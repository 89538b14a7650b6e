/** Orders the versions of a conflict, and remembers which of them are merged. */
import type { DocumentConflicts, DocumentVersion } from 'fixpoint';
import { type Fields, partsOf } from '../../../values/document-fields.ts';
import type { Decisions } from '../choices/merge-choices.ts';
import type { FileDecisions } from '../choices/merge-files.ts';

/** A version that was merged, but not saved yet. */
export interface MergeStep {
  /** The event of the first version, and of the one that was merged into it. */
  readonly events: readonly [string, string];
  /** The merged document, with its files. */
  readonly merged: Fields;
  readonly decided: Decisions;
  readonly decidedFiles: FileDecisions;
}

/** The next two versions to merge. */
export interface NextStep {
  readonly start: DocumentVersion;
  readonly other: DocumentVersion;
  /** The earlier steps that still apply. */
  readonly done: readonly MergeStep[];
  /** How many versions there are in all. */
  readonly count: number;
}

/**
 * Returns the next step: the version of this device, or else the one that all devices show, comes
 * first. A step applies as long as its versions are in the conflict.
 */
export function nextStep(
  { winner, losers }: DocumentConflicts,
  own: string | undefined,
  steps: readonly MergeStep[],
): NextStep | undefined {
  const all = [winner, ...losers];
  const start = all.find(({ device }) => device !== undefined && device === own) ?? winner;
  const isThere = ({ events }: MergeStep) =>
    events[0] === start.event && all.some(({ event }) => event === events[1]);
  const end = steps.findIndex((step) => !isThere(step));
  const done = end === -1 ? steps : steps.slice(0, end);
  const other = all.find((one) => one !== start && done.every(({ events }) => events[1] !== one.event));
  return other && { start, other, done, count: all.length };
}

/** Splits a version into its fields and its files. */
export const partsOfVersion = ({ value = { _id: '' } }: Pick<DocumentVersion, 'value'>) => partsOf(value);
