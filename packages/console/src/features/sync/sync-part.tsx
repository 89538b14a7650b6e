import { useSyncStatus } from '@fixpoint/react';
import type { Attached } from 'fixpoint';
import { RefreshCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { ageText, unsentSince } from '../../cloud/ledgers/unsent-since.ts';
import { failureText } from '../../local/failure-text.ts';
import { Button } from '../../ui/button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { DialogPart } from '../../ui/overlays/dialog-part.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { timeOf } from '../../ui/text/moment.ts';
import { describeSync } from './describe-sync.ts';

/** Shows whether this device and the ledger are in sync, and what is pending. */
export function SyncPart({ database, attached }: { database: string; attached: Attached }) {
  const status = useSyncStatus(attached) ?? attached.status();
  const { rejected = 0 } = status;
  const lastAt = useLastInSync(status.state === 'in-sync');
  const since = status.toSend === 0 ? undefined : unsentSince(database);
  const now = useNow();
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const sync = async () => {
    setBusy(true);
    try {
      await attached.synced();
      toast('Everything is in step with the cloud.');
    } catch (error) {
      toast(`Not everything is in step: ${failureText(error)}`, { tone: 'error' });
    } finally {
      setBusy(false);
    }
  };
  return (
    <DialogPart title="Sync">
      <Facts>
        <Fact name="Status">{describeSync(status)}</Fact>
        <Fact name="Waiting to be sent">{countOf(status.toSend)}</Fact>
        {since !== undefined && (
          <Fact name="The oldest waits for">
            <time dateTime={since} title={timeOf(since)}>
              {ageText(since, now)}
            </time>
          </Fact>
        )}
        <Fact name="Waiting to be fetched">{countOf(status.toFetch)}</Fact>
        <Fact name="Last in step">
          {lastAt === undefined ? 'not since this was opened' : timeOf(lastAt.toISOString())}
        </Fact>
        {rejected > 0 && <Fact name="Entries that nobody can read">{rejected.toLocaleString('en')}</Fact>}
        {status.error !== undefined && (
          <Fact name="Why">
            {status.error.code === 'FETCH' ? 'the server cannot be reached' : status.error.message}
          </Fact>
        )}
      </Facts>
      <Button size="sm" className="self-start" disabled={isBusy} onClick={() => void sync()}>
        <RefreshCw size={13} aria-hidden className={isBusy ? 'animate-spin' : ''} />
        {isBusy ? 'Waiting until all is in step…' : 'Sync now'}
      </Button>
    </DialogPart>
  );
}

const countOf = (archives: number): string =>
  archives === 0 ? 'nothing' : `${archives.toLocaleString('en')} ${archives === 1 ? 'archive' : 'archives'}`;

const TICK_MS = 30_000;

function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Returns when both were last in sync, as far as this page observed. */
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
