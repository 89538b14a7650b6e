import type { Attached, LedgerHoldings } from 'fixpoint';
import { ServerCog } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { DialogPart } from '../../ui/overlays/dialog-part.tsx';
import { ErrorPanel } from '../../ui/pages/feedback.tsx';
import { CopyButton } from '../../ui/text/copy-button.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { timeOf } from '../../ui/text/moment.ts';
import { eventName } from '../../values/shown-id.ts';
import { archivesText, besideText, sizeText } from './describe-held.ts';

interface Answer {
  readonly at: Date;
  readonly held: LedgerHoldings;
}

/**
 * Compares the server's contents with those of this device. Asks the server directly instead of
 * trusting the sync state.
 */
export function HeldPart({ attached }: { attached: Attached }) {
  const [answer, setAnswer] = useState<Answer>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const ask = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const held = await attached.held();
      setAnswer({ at: new Date(), held });
    } catch (cause) {
      setError(cause);
    } finally {
      setBusy(false);
    }
  };
  return (
    <DialogPart title="Compare with the server">
      {answer === undefined && (
        <p className="text-ink-3">
          Compares the data of this database on the server with the data on this device.
        </p>
      )}
      <div role="status" className="empty:hidden">
        {answer !== undefined && <Held {...answer} />}
      </div>
      {error !== undefined && (
        <ErrorPanel message={`Couldn’t compare with the server: ${failureText(error)}`} />
      )}
      <Button className="self-start" disabled={isBusy} onClick={() => void ask()}>
        <ServerCog size={13} aria-hidden />
        {isBusy ? 'Comparing…' : answer === undefined ? 'Compare now' : 'Compare again'}
      </Button>
    </DialogPart>
  );
}

const HEADS_SHOWN = 5;

function Held({ held, at }: Answer) {
  const { head, missing, unsent, knownSince, entries, unread } = held;
  const isSame = missing.length === 0 && unread === 0 && unsent === 0;
  return (
    <div className="flex flex-col gap-3">
      <p className="flex items-start gap-2">
        <Badge tone={isSame ? 'accent' : 'decide'}>{isSame ? 'Identical' : 'Different'}</Badge>
        <span>{besideText(held)}</span>
      </p>
      <Facts>
        <Fact name={head.length === 1 ? 'Server version' : 'Server versions'}>
          {head.length === 0 ? (
            'None'
          ) : (
            <ul className="flex flex-col items-end gap-1">
              {head.slice(0, HEADS_SHOWN).map((event) => (
                <li key={event} className="flex flex-wrap items-center gap-1.5">
                  <code className="font-mono text-xs">…{eventName(event)}</code>
                  <CopyButton text={event} label="Copy" tone="quiet" size="sm" />
                  {missing.includes(event) && <Badge tone="plain">Not on this device</Badge>}
                </li>
              ))}
              {head.length > HEADS_SHOWN && <li>and {head.length - HEADS_SHOWN} more</li>}
            </ul>
          )}
        </Fact>
        <Fact name="Writing sessions">
          {entries.toLocaleString('en')}
          {entries > 0 && ', one for each time that a device opened the database and wrote'}
        </Fact>
        <Fact name="Archives">{archivesText(held)}</Fact>
        <Fact name="Size of archives">{sizeText(held)}</Fact>
        <Fact name="Oldest archive">
          {knownSince === undefined
            ? 'Unknown'
            : `First seen by this device ${timeOf(new Date(knownSince).toISOString())}`}
        </Fact>
        <Fact name="Compared at">{timeOf(at.toISOString())}</Fact>
      </Facts>
      <p className="text-xs text-ink-3">
        The server reports neither sizes nor times of archives. This device measured the sizes when it sent or
        fetched the archives, before encryption.
      </p>
    </div>
  );
}
