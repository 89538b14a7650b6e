import type { Attached, LedgerLog } from 'fixpoint';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { useTask } from '../../../ui/overlays/use-task.ts';

type Withheld = LedgerLog['withheld'][number];

const SHOWN_MAX = 20;
const ID_CHARS = 8;
/** Number of earlier changes that the engine counts. */
const EARLIER_MAX = 100;
const TITLE = 'Changes that don’t count';

const REASONS: Readonly<Record<string, string>> = {
  'unknown device': 'written by a device that isn’t in the list of members',
  'not signed': 'not signed by the device that it names',
  'names nothing': 'written before the device joined the list of members',
  'unknown entry': 'names a part of the list of members that the server doesn’t show',
  removed: 'arrived after its author was removed',
  'no right': 'its author may only read',
};

/** Whether a member signed a change, and nothing that it names is missing. */
const mayAccept = ({ reason, signer }: Withheld): boolean =>
  signer !== undefined && ['names nothing', 'removed', 'no right'].includes(reason);

/** Says what accepting a change makes part of the database. */
function effectOf({ earlier }: Withheld): string {
  const end = 'part of this database for all members';
  if (earlier === undefined) return `The change, and all changes before it, become ${end}.`;
  const count = earlier.reduce((sum, one) => sum + one.count, 0);
  if (count === 0) return `The change becomes ${end}. No earlier changes come along.`;
  const by = earlier.map((one) => `${one.count} by ${one.signer ?? 'somebody who isn’t in the list'}`);
  const all = count < EARLIER_MAX ? `${count}` : `at least ${EARLIER_MAX}`;
  const ones = count === 1 ? 'one that doesn’t count yet' : 'ones that don’t count yet';
  return `The change becomes ${end}, with ${all} earlier ${ones}: ${by.join(', ')}.`;
}

interface WithheldChangesProps {
  readonly attached: Attached;
  readonly log: LedgerLog;
}

/** Lists changes that the list of members doesn't allow. Writers can accept those of members. */
export function WithheldChanges({ attached, log }: WithheldChangesProps) {
  const [asked, setAsked] = useState<Withheld>();
  const { isBusy, run } = useTask();
  const toast = useToast();
  const shown = log.withheld.slice(-SHOWN_MAX).reverse();
  if (shown.length === 0) return null;
  const accept = async ({ event }: Withheld) => {
    await run('Couldn’t accept the change', async () => {
      await attached.devices.approve(event);
      toast('Change accepted. It now counts for all members.');
    });
    setAsked(undefined);
  };
  return (
    <>
      <p>{TITLE}:</p>
      <ul aria-label={TITLE} className="divide-y divide-line rounded-md border border-line">
        {shown.map((one) => (
          <li key={one.event} className="flex flex-wrap items-center gap-2 px-3 py-1.5">
            <code className="font-mono text-xs">…{one.event.slice(-ID_CHARS)}</code>
            <span className="min-w-0 text-xs break-words text-ink-3">
              {one.signer !== undefined && `by ${one.signer}, `}
              {REASONS[one.reason] ?? one.reason}
            </span>
            {mayAccept(one) && log.role !== undefined && log.role !== 'read' && (
              <Button
                tone="quiet"
                className="ml-auto"
                aria-label={`Accept change ${one.event.slice(-ID_CHARS)}`}
                onClick={() => setAsked(one)}
              >
                Accept
              </Button>
            )}
          </li>
        ))}
      </ul>
      {log.withheld.length > SHOWN_MAX && <p>And {log.withheld.length - SHOWN_MAX} earlier ones.</p>}
      {asked !== undefined && (
        <ConfirmDialog
          title={`Accept a change of ${asked.signer}?`}
          action="Accept change"
          busy={isBusy}
          onClose={() => setAsked(undefined)}
          onConfirm={() => void accept(asked)}
        >
          {effectOf(asked)} The history shows that you vouched for this. Ask {asked.signer} first: if somebody
          found their device, the changes may be somebody else’s. You can’t undo this, but you can restore an
          earlier version.
        </ConfirmDialog>
      )}
    </>
  );
}
