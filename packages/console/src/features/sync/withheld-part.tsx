import { useSyncStatus } from '@fixpoint/react';
import type { Attached, SyncStatus, WithheldEntry } from 'fixpoint';
import { useCallback, useEffect, useState } from 'react';
import { useTenants } from '../../cloud/queries/use-cloud.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { DialogPart } from '../../ui/overlays/dialog-part.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { useTask } from '../../ui/overlays/use-task.ts';
import { ErrorPanel } from '../../ui/pages/feedback.tsx';
import { Row, RowList } from '../../ui/row-list.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { entryInText, entryName, originText, problemText, removalText } from './describe-withheld.ts';

const SHOWN_MAX = 20;

export interface WithheldPartProps {
  readonly attached: Attached;
  readonly tenantId: string;
}

/**
 * Lists the entries of a ledger that don't sync, each with its problem; admins can remove them.
 * Renders nothing without problems.
 */
export function WithheldPart({ attached, tenantId }: WithheldPartProps) {
  const status = useSyncStatus(attached) ?? attached.status();
  const tenant = (useTenants().data ?? []).find((one) => one.tenantId === tenantId);
  const isAdmin = tenant?.role === 'admin';
  const { entries, error, reload } = useWithheld(attached, troubleIn(status));
  if (error !== undefined)
    return (
      <DialogPart title={TITLE}>
        <ErrorPanel message={`Couldn’t load the entries: ${failureText(error)}`}>
          <Button onClick={reload}>Try again</Button>
        </ErrorPanel>
      </DialogPart>
    );
  if (entries === undefined || entries.length === 0) return null;
  return (
    <DialogPart title={TITLE}>
      <p>Everything else syncs.</p>
      <RowList label={TITLE}>
        {entries.slice(0, SHOWN_MAX).map((entry) => (
          <Row
            key={`${entry.why} ${entry.cid}`}
            name={entryName(entry)}
            detail={
              <>
                {problemText(entry)}
                <span className="block">{originText(entry, tenant?.members ?? [], isAdmin)}</span>
              </>
            }
          >
            {isAdmin && entry.why !== 'files' && (
              <RemoveEntry attached={attached} entry={entry} onRemoved={reload} />
            )}
          </Row>
        ))}
      </RowList>
      {entries.length > SHOWN_MAX && <p>And {entries.length - SHOWN_MAX} more.</p>}
      {!isAdmin && (
        <p className="text-xs text-ink-3">
          An admin of the tenant can see who wrote these entries, and remove them.
        </p>
      )}
    </DialogPart>
  );
}

const TITLE = 'Entries that don’t sync';

function RemoveEntry({
  attached,
  entry,
  onRemoved,
}: {
  attached: Attached;
  entry: WithheldEntry;
  onRemoved: () => void;
}) {
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
  const { isBusy, run } = useTask();
  const remove = async () => {
    await run('Couldn’t remove the entry', async () => {
      await attached.removeEntries([entry.cid]);
      toast('Entry removed.');
      onRemoved();
    });
    setAsking(false);
  };
  return (
    <>
      <Button aria-label={`Remove ${entryInText(entry)}`} onClick={() => setAsking(true)}>
        Remove entry
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Remove ${entryInText(entry)}?`}
          action="Remove entry"
          busy={isBusy}
          onClose={() => setAsking(false)}
          onConfirm={() => void remove()}
        >
          {removalText(entry)}
        </ConfirmDialog>
      )}
    </>
  );
}

/** Returns a text that changes whenever the problems change; empty if there are no problems. */
function troubleIn({ state, rejected = 0, error }: SyncStatus): string {
  const isLacking = error?.code === 'MISSING_CARS' || error?.code === 'CORRUPT';
  const isThere = state === 'in-sync' || state === 'catching-up';
  return isThere && (rejected > 0 || isLacking) ? `${rejected} ${error?.code ?? ''}` : '';
}

interface Withheld {
  readonly entries: readonly WithheldEntry[] | undefined;
  readonly error: unknown;
  reload(): void;
}

/** Fetches the entries that don't sync, and fetches them again when the problems change. */
function useWithheld(attached: Attached, trouble: string): Withheld {
  const [found, setFound] = useState<Pick<Withheld, 'entries' | 'error'>>();
  const [asked, setAsked] = useState(0);
  const reload = useCallback(() => setAsked((count) => count + 1), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again on demand
  useEffect(() => {
    if (trouble === '') return setFound(undefined);
    let isOver = false;
    attached.withheld().then(
      (entries) => !isOver && setFound({ entries, error: undefined }),
      (error: unknown) => !isOver && setFound({ entries: undefined, error }),
    );
    return () => {
      isOver = true;
    };
  }, [attached, trouble, asked]);
  return { entries: found?.entries, error: found?.error, reload };
}
