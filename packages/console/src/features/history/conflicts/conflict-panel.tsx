import type { Database, DocumentConflicts, DocumentVersion } from 'fixpoint';
import { GitMerge } from 'lucide-react';
import { useCanWrite } from '../../../local/can-write.ts';
import { Button, LinkButton } from '../../../ui/button.tsx';
import { useTask } from '../../../ui/overlays/use-task.ts';
import { agoOf } from '../../../ui/text/moment.ts';
import { recordStep } from '../../../undo/undo-stack.ts';
import { writtenStep } from '../../../undo/written-step.ts';
import { eventName } from '../../../values/shown-id.ts';
import { NOBODY, type People, whenWritten, whoWrote } from '../../../values/who-wrote.ts';
import { SideBySide } from '../../diff/side-by-side.tsx';
import { useOwnDevice } from '../stamp-text.tsx';
import { resolveConflict, UNDO_NOTE } from './resolve-conflict.ts';
import { canMerge } from './use-conflict.ts';

interface ConflictPanelProps {
  readonly database: Database;
  readonly id: string;
  /** The people who have access to the ledger. */
  readonly people?: People | undefined;
}

export interface ConflictProps extends ConflictPanelProps {
  readonly conflicts: DocumentConflicts;
  /** The page that merges the versions field by field. */
  readonly mergePath: string;
}

/** Shows a document's conflicting writes with both values, and lets the user choose or merge. */
export function Conflict({ database, id, people, conflicts, mergePath }: ConflictProps) {
  const own = useOwnDevice(database);
  const { isBusy, run } = useTask();
  const canWrite = useCanWrite();
  const use = ({ value, isDropped, isUnreadable }: DocumentVersion) =>
    run('Couldn’t resolve the conflict', async () => {
      if (isUnreadable === true)
        throw new Error(
          'the stored content of this version is missing or damaged. Choose another version, or wait until another device sends it.',
        );
      if (isDropped === true) throw new Error('the content of this version is no longer on this device.');
      const part = await resolveConflict(database, id, conflicts, value);
      if (part === undefined)
        throw new Error(
          'somebody changed this document in the meantime. Look at the versions, then choose again.',
        );
      const step = writtenStep(database, 'Resolved the conflict', [part]);
      recordStep(database, { ...step, undoNote: UNDO_NOTE });
    });
  const { winner, losers } = conflicts;
  const isDeleted = isDeletion(winner);
  const kept = losers.filter((loser) => !isDeletion(loser));
  return (
    <section
      aria-label="Conflict"
      className="flex flex-col gap-3 rounded-lg border border-conflict-line bg-conflict-soft p-4 text-sm"
    >
      <p className="flex items-start gap-2 text-conflict">
        <GitMerge size={16} aria-hidden className="mt-0.5 shrink-0" />
        <span>
          {isDeleted
            ? deletedText(conflicts, own, people)
            : `This document was changed on ${losers.length + 1} devices at the same time. All devices show the first version below. The others are kept until you choose one.`}
        </span>
        {canWrite && canMerge(conflicts) && (
          <span className="ml-auto">
            <LinkButton to={mergePath} tone="decide">
              Merge...
            </LinkButton>
          </span>
        )}
      </p>
      {(isDeleted && kept.length > 0 ? kept : losers).map((loser) => (
        <div key={loser.event} className="flex flex-col gap-2">
          <SideBySide
            before={winner.value}
            after={loser.value}
            beforeLabel={`${isDeleted ? 'Deleted' : 'Shown now'} · ${authorOf(winner, own, people)}`}
            afterLabel={`${isDeletion(loser) ? 'Deleted' : 'Written'} elsewhere · ${authorOf(loser, own, people)}${loser.isUnreadable === true ? ' · content can’t be read' : ''}`}
          />
          {canWrite && (
            <div className="flex flex-wrap gap-2 md:grid md:grid-cols-2">
              <Button disabled={isBusy} className="md:justify-self-start" onClick={() => void use(winner)}>
                {isDeleted ? 'Keep the deletion' : 'Keep the version shown now'}
              </Button>
              {!(isDeleted && isDeletion(loser)) && (
                <Button disabled={isBusy} className="md:justify-self-start" onClick={() => void use(loser)}>
                  {isDeleted ? 'Bring back this version' : 'Use this version'}
                </Button>
              )}
            </div>
          )}
        </div>
      ))}
    </section>
  );
}

/** The content of a dropped or unreadable version isn't known. */
const isDeletion = ({ value, isDropped, isUnreadable }: DocumentVersion): boolean =>
  value === undefined && isDropped !== true && isUnreadable !== true;

/** Names that describe a device or an account, instead of those that somebody gave it. */
const GENERAL_NAME = /^(This device|Device \w+|A device of .+|Account \w+)$/;

/** Says who deleted a document, and who changed it at the same time. */
function deletedText(
  { winner, losers }: DocumentConflicts,
  own: string | undefined,
  people?: People,
): string {
  const nameOf = (version: DocumentVersion) => {
    const { id, name, isPerson } = whoWrote(version, own, people ?? NOBODY);
    if (id === '') return 'somebody';
    return !isPerson && GENERAL_NAME.test(name) ? `${name.charAt(0).toLowerCase()}${name.slice(1)}` : name;
  };
  const kept = losers.filter((loser) => !isDeletion(loser));
  if (kept.length === 0)
    return `This document was deleted on ${losers.length + 1} devices at the same time. All devices show it as deleted.`;
  const others = [...new Set(kept.map(nameOf))].join(' and ');
  const deleter = nameOf(winner);
  return `${deleter.charAt(0).toUpperCase()}${deleter.slice(1)} deleted this document, and ${others} changed it at the same time. All devices show it as deleted. The other ${kept.length === 1 ? 'version is' : 'versions are'} kept until you choose.`;
}

/** Returns who wrote a version and when; events without an author are named by their ids. */
function authorOf(version: DocumentVersion, own: string | undefined, people: People = NOBODY): string {
  const { id, name, device } = whoWrote(version, own, people);
  if (id === '') return eventName(version.event);
  const ms = whenWritten(version);
  const ago = ms === undefined ? '' : `, ${agoOf(ms, Date.now())}`;
  return `${name}${device === undefined ? '' : ` on ${device}`}${ago}`;
}
