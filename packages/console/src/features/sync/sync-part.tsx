import { useSyncStatus } from '@fixpoint/react';
import type { Attached } from 'fixpoint';
import { RefreshCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { ageText, unsentSince } from '../../cloud/ledgers/unsent-since.ts';
import { Button } from '../../ui/button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { DialogPart } from '../../ui/overlays/dialog-part.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { useTask } from '../../ui/overlays/use-task.ts';
import { timeOf } from '../../ui/text/moment.ts';
import { describeSync, syncProblem } from './describe-sync.ts';

/** Shows whether this device and the ledger are in sync, and what is pending. */
export function SyncPart({ database, attached }: { database: string; attached: Attached }) {
  const status = useSyncStatus(attached) ?? attached.status();
  const { rejected = 0 } = status;
  const lastAt = useLastInSync(status.state === 'in-sync');
  const since = status.toSend === 0 ? undefined : unsentSince(database);
  const now = useNow();
  const toast = useToast();
  const { isBusy, run } = useTask();
  const sync = () =>
    run('Sync is incomplete', async () => {
      await attached.synced();
      toast('Everything is in sync.');
    });
  return (
    <DialogPart title="Sync">
      <Facts>
        <Fact name="Status">{describeSync(status).word}</Fact>
        <Fact name="To send">{countOf(status.toSend)}</Fact>
        {since !== undefined && (
          <Fact name="Oldest unsent change">
            <time dateTime={since} title={timeOf(since)}>
              {ageText(since, now)}
            </time>
          </Fact>
        )}
        <Fact name="To fetch">{countOf(status.toFetch)}</Fact>
        <Fact name="Last in sync">
          {lastAt === undefined ? 'Not since you opened this page' : timeOf(lastAt.toISOString())}
        </Fact>
        {rejected > 0 && <Fact name="Unreadable entries">{rejected.toLocaleString('en')}</Fact>}
        {status.error !== undefined && <Fact name="Reason">{syncProblem(status.error)}</Fact>}
      </Facts>
      <Button className="self-start" disabled={isBusy} onClick={() => void sync()}>
        <RefreshCw size={13} aria-hidden className={isBusy ? 'animate-spin' : ''} />
        {isBusy ? 'Syncing...' : 'Sync now'}
      </Button>
    </DialogPart>
  );
}

const countOf = (archives: number): string =>
  archives === 0 ? 'Nothing' : `${archives.toLocaleString('en')} ${archives === 1 ? 'archive' : 'archives'}`;

const TICK_MS = 30_000;

function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Returns when this device and the ledger were last in sync while this page was open. */
function useLastInSync(isInSync: boolean): Date | undefined {
  const [at, setAt] = useState<Date | undefined>();
  useEffect(() => {
    if (isInSync) setAt(new Date());
    return () => {
      if (isInSync) setAt(new Date());
    };
  }, [isInSync]);
  return at;
}
