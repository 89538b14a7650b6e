import type { Database, DocumentVersion } from 'fixpoint';
import { History, RotateCcw } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useCanWrite } from '../../../local/can-write.ts';
import { Avatar } from '../../../ui/avatar.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { ErrorPanel, Skeleton } from '../../../ui/pages/feedback.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { recordStep } from '../../../undo/undo-stack.ts';
import { writtenStep } from '../../../undo/written-step.ts';
import { eventName } from '../../../values/shown-id.ts';
import { NOBODY, type People, whoWrote } from '../../../values/who-wrote.ts';
import { SideBySide } from '../../diff/side-by-side.tsx';
import { useUnsent } from '../commits/use-unsent.ts';
import { type ComparedVersion, comparedVersions, textOfChange } from '../latest-changes.ts';
import { StampText, useOwnDevice } from '../stamp-text.tsx';
import { useLoaded } from '../use-loaded.ts';
import { restoreVersion } from './restore-versions.ts';

const PAGE = 30;

export interface DocumentHistoryProps {
  readonly database: Database;
  readonly id: string;
  /**
   * How many changes wait to be sent to a ledger; their versions are marked. Undefined without a
   * ledger.
   */
  readonly toSend?: number | undefined;
  /** The people who have access to the ledger. */
  readonly people?: People | undefined;
}

/**
 * Lists all versions of a document, newest first, each with its changes and a button to restore it.
 */
export function DocumentHistory({ database, id, toSend, people = NOBODY }: DocumentHistoryProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section aria-label="History" className="flex flex-col gap-2 border-t border-line pt-4">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="mr-auto text-sm font-semibold">History</h2>
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <History size={13} aria-hidden /> {isOpen ? 'Hide versions' : 'Show versions'}
        </Button>
      </div>
      {isOpen && <Versions {...{ database, id, toSend, people }} />}
    </section>
  );
}

function Versions({ database, id, toSend, people }: Required<DocumentHistoryProps>) {
  const [limit, setLimit] = useState(PAGE);
  const { value, error } = useLoaded(
    database,
    useCallback(
      (signal) => comparedVersions(database, id, { limit: limit + 1, signal }),
      [database, id, limit],
    ),
  );
  const unsent = useUnsent(database, toSend);
  const own = useOwnDevice(database);
  const [openEvent, setOpenEvent] = useState<string | undefined>();
  if (value === undefined)
    return error === undefined ? <Skeleton /> : <ErrorPanel message={failureText(error)} />;
  const shown = value.slice(0, limit);
  return (
    <>
      <ol className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface">
        {shown.map(({ version, ...compared }) => (
          <VersionLine
            key={version.event}
            {...{ database, id, version, own, people }}
            {...compared}
            isUnsent={unsent.has(version.event)}
            isOpen={version.event === openEvent}
            onToggle={() => setOpenEvent(version.event === openEvent ? undefined : version.event)}
          />
        ))}
      </ol>
      {value.length <= limit && value.some(({ version }) => version.isDropped ?? version.isHorizon) && (
        <p className="text-sm text-ink-3">
          Compaction removed older versions on this device. Other devices may still have them.
        </p>
      )}
      {value.length > limit && (
        <Button className="self-start" onClick={() => setLimit(limit + PAGE)}>
          Show older versions
        </Button>
      )}
    </>
  );
}

interface VersionLineProps extends ComparedVersion {
  readonly database: Database;
  readonly id: string;
  readonly own: string | undefined;
  readonly people: People | undefined;
  readonly isUnsent: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function VersionLine(props: VersionLineProps) {
  const { database, id, version, before, change, own, people = NOBODY } = props;
  const { isCurrent, isUnsent, isOpen, onToggle } = props;
  const who = whoWrote(version, own, people);
  const { event, value, isDropped } = version;
  const restore = useRestore(database, id);
  const canRestore = useCanWrite() && !isCurrent && isDropped !== true;
  return (
    <li>
      <div className="flex flex-wrap items-center gap-2 px-3 py-1.5 text-sm">
        <button
          type="button"
          aria-expanded={isOpen}
          disabled={isDropped === true}
          className="flex min-w-0 grow basis-40 cursor-pointer flex-wrap items-center gap-x-2 rounded py-1 text-left hover:text-accent-ink disabled:cursor-default disabled:text-ink-3"
          onClick={onToggle}
        >
          <span className="truncate">{textOfChange(change)}</span>
          <code className="font-mono text-xs text-ink-3">{eventName(event)}</code>
          {who.isPerson && (
            <span className="flex items-center gap-1.5 text-xs" title={who.identity}>
              <Avatar name={who.name} /> {who.name}
            </span>
          )}
          <span className="sm:ml-auto">
            <StampText stamp={version} {...{ own, people }} />
          </span>
        </button>
        {isCurrent && <Badge tone="accent">Now</Badge>}
        {isUnsent && <Badge>Not sent</Badge>}
        {change.isConcurrent && <Badge tone="past">Written at the same time</Badge>}
        {isDropped === true && <Badge>Compacted</Badge>}
        {canRestore && (
          <Button onClick={() => void restore(version)}>
            <RotateCcw size={12} aria-hidden /> {value === undefined ? 'Delete again' : 'Restore'}
          </Button>
        )}
      </div>
      {isOpen && (
        <div className="px-3 pb-3">
          <SideBySide
            before={before.value}
            after={value}
            beforeLabel={beforeLabel(version, before)}
            afterLabel={`This version · ${eventName(event)}`}
          />
        </div>
      )}
    </li>
  );
}

function beforeLabel({ parents }: DocumentVersion, { value, lost }: ComparedVersion['before']): string {
  if (lost !== undefined) return `Before: ${LOST[lost]}`;
  return value === undefined ? 'Before: no document' : `Before · ${parents.map(eventName).join(', ')}`;
}

const LOST = {
  'not kept': 'not kept on this device',
  compacted: 'removed by compaction',
  unreadable: 'couldn’t be read',
};

/**
 * Restores an earlier version by a new write. The current version stays in the history, and Undo
 * restores it.
 */
function useRestore(database: Database, id: string): (version: DocumentVersion) => Promise<void> {
  const toast = useToast();
  return async ({ event }) => {
    try {
      const part = await restoreVersion(database, id, [event]);
      recordStep(database, writtenStep(database, `Restored version ${eventName(event)}`, [part]));
    } catch (error) {
      toast(`Couldn’t restore this version: ${failureText(error)}`, { tone: 'error' });
    }
  };
}
