/** Details of one commit: beside the list, or in a sheet where there is no room. */
import type { CommitEvent, Database } from 'fixpoint';
import { ClockAlert, History, RotateCcw, ShieldCheck, X } from 'lucide-react';
import { type Ref, useMemo, useState } from 'react';
import { Avatar } from '../../../ui/avatar.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button, IconButton, LinkButton } from '../../../ui/button.tsx';
import { Sheet } from '../../../ui/overlays/sheet.tsx';
import { lazyComponent } from '../../../ui/pages/lazy-component.tsx';
import { CopyButton } from '../../../ui/text/copy-button.tsx';
import { secondOf } from '../../../ui/text/moment.ts';
import { eventName } from '../../../values/shown-id.ts';
import { clockAhead, deviceText, isNamed, type People } from '../../../values/who-wrote.ts';
import { StampText } from '../stamp-text.tsx';
import { atSearch } from '../versions/version-address.ts';
import { linkTo } from './commit-actions.tsx';
import { CommitChanges } from './commit-changes.tsx';
import { isStart, whoCommitted } from './describe-commit.ts';

const RestoreDialog = lazyComponent(
  async () => (await import('../versions/restore-dialog.tsx')).RestoreDialog,
);

export interface CommitPanelProps {
  readonly database: Database;
  readonly commit: CommitEvent;
  /** The page of all documents. */
  readonly allPath: string;
  /** The path of a document is this path plus the encoded id. */
  readonly docsPath: string;
  readonly own: string | undefined;
  readonly people: People;
  readonly canWrite: boolean;
  readonly onClose: () => void;
}

/** Shows a commit in a panel beside the list. */
export function CommitAside(
  props: CommitPanelProps & { readonly id: string; readonly panel: Ref<HTMLElement> },
) {
  const { id, panel, onClose } = props;
  return (
    <aside
      id={id}
      ref={panel}
      tabIndex={-1}
      aria-label="Change"
      className="relative min-h-0 overflow-y-auto border-l border-line outline-offset-[-2px]"
    >
      <div className="absolute top-2 right-2">
        <IconButton label="Close the change" onClick={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
      <Panel {...props} />
    </aside>
  );
}

/** Shows a commit in a sheet. */
export const CommitSheet = (props: CommitPanelProps) => (
  <Sheet title="Change" onClose={props.onClose}>
    <Panel {...props} />
  </Sheet>
);

function Panel({ database, commit, allPath, docsPath, own, people, canWrite }: CommitPanelProps) {
  const { event, isDropped = false, isHorizon = false } = commit;
  const [isRestoring, setRestoring] = useState(false);
  const head = useMemo(() => [event], [event]);
  const who = whoCommitted(commit, own, people);
  return (
    <div className="flex flex-col text-sm">
      <div className="flex flex-col gap-3 px-4 py-3">
        <div className="flex items-center gap-2.5 pr-8">
          <Avatar name={who.person} />
          <div className="min-w-0">
            <h2 className="font-semibold wrap-anywhere" title={who.identity}>
              {who.name} {didWhat(commit)}
            </h2>
            <StampText stamp={commit} {...{ own, people }} />
          </div>
        </div>
        <Facts {...{ commit, own, people }} />
        <div className="flex flex-wrap gap-1.5">
          {!isDropped && (
            <LinkButton to={`${allPath}?${atSearch(head)}`} tone="past">
              <History size={14} aria-hidden /> Browse this version
            </LinkButton>
          )}
          {!isDropped && canWrite && (
            <Button onClick={() => setRestoring(true)}>
              <RotateCcw size={14} aria-hidden /> Restore...
            </Button>
          )}
          <CopyButton label="Copy link" tone="quiet" text={linkTo(event)} />
        </div>
        {isRestoring && <RestoreDialog {...{ database, head }} onClose={() => setRestoring(false)} />}
      </div>
      <div className="border-t border-line">
        <WhatChanged {...{ database, commit, docsPath, isDropped, isHorizon }} />
      </div>
    </div>
  );
}

function didWhat(commit: CommitEvent): string {
  const { documents, deletions, isHorizon } = commit;
  if (isHorizon === true) return 'kept a snapshot';
  if (isStart(commit)) return 'created the database';
  if (documents === 0) return 'merged';
  const count = documents === 1 ? '1 document' : `${documents.toLocaleString('en')} documents`;
  return `${deletions === documents ? 'deleted' : 'changed'} ${count}`;
}

/** Shows when a commit was written and when it arrived, so that a wrong clock is visible. */
function Facts({ commit, own, people }: Pick<CommitPanelProps, 'commit' | 'own' | 'people'>) {
  const { time, device, received, signature, author, event } = commit;
  const ahead = clockAhead(commit);
  const isKnown = device !== undefined && (device === own || isNamed(device, people));
  const signer = isKnown ? deviceText(device, own, people) : 'the device';
  const from = received?.account === undefined ? undefined : people.get(received.account);
  return (
    <dl className="grid grid-cols-[4rem_minmax(0,1fr)] gap-x-2 gap-y-1 text-sm [&>dd]:wrap-anywhere [&>dd]:tabular-nums [&>dt]:text-ink-3">
      {time !== undefined && (
        <>
          <dt>Written</dt>
          <dd className="flex flex-wrap items-center gap-x-1.5">
            {secondOf(time)}
            {device !== undefined && <span className="text-ink-3">on {deviceText(device, own, people)}</span>}
            {ahead !== undefined && <ClockBadge ahead={ahead} />}
          </dd>
        </>
      )}
      {received !== undefined && (
        <>
          <dt>Arrived</dt>
          <dd>
            {secondOf(received.atMs)}{' '}
            {received.account !== undefined && (
              <span className="text-ink-3">
                from{' '}
                {from?.email ?? `${from === undefined ? '' : `${from.name}, `}account ${received.account}`}
              </span>
            )}
          </dd>
        </>
      )}
      {signature === 'valid' && (
        <>
          <dt>Signed</dt>
          <dd className="flex items-center gap-1.5">
            <ShieldCheck size={13} aria-hidden className="shrink-0 text-accent-ink" />
            {author?.name ?? `by ${signer}`}
          </dd>
        </>
      )}
      <dt>Version</dt>
      <dd className="font-mono text-xs leading-5">{eventName(event)}</dd>
    </dl>
  );
}

/** Marks a change whose device had a clock that was ahead. */
export function ClockBadge({ ahead }: { ahead: number }) {
  return (
    <Badge
      tone="decide"
      title="The clock of the device was ahead when it wrote this change. The time of arrival is the gateway’s."
    >
      <ClockAlert size={12} aria-hidden /> Clock {spanOf(ahead)} ahead
    </Badge>
  );
}

const MINUTE_MS = 60_000;
const HOUR_MIN = 60;
const DAY_HOURS = 24;

function spanOf(ms: number): string {
  const minutes = Math.round(ms / MINUTE_MS);
  if (minutes < HOUR_MIN) return `${minutes} min`;
  const hours = Math.round(minutes / HOUR_MIN);
  return hours < 2 * DAY_HOURS ? `${hours} h` : `${Math.round(hours / DAY_HOURS).toLocaleString('en')} days`;
}

interface WhatChangedProps extends Pick<CommitPanelProps, 'database' | 'commit' | 'docsPath'> {
  readonly isDropped: boolean;
  readonly isHorizon: boolean;
}

function WhatChanged({ database, commit, docsPath, isDropped, isHorizon }: WhatChangedProps) {
  if (isDropped)
    return (
      <p className="px-4 py-3 text-ink-3">
        Later commits overwrote all documents of this commit, so compaction removed their old content from
        this device.
      </p>
    );
  if (isHorizon)
    return (
      <p className="px-4 py-3 text-ink-3">
        This is a snapshot of all older commits. Compaction removed those commits on this device, so their
        changes can’t be shown here.
      </p>
    );
  return <CommitChanges {...{ database, commit, docsPath }} />;
}
