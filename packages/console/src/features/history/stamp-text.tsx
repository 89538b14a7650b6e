import type { Database, EventStamp } from 'fixpoint';
import { useEffect, useState } from 'react';
import { agoOf, timeOf } from '../../ui/text/moment.ts';
import { areLoading, deviceText, isNamed, NOBODY, type People, whoWrote } from '../../values/who-wrote.ts';

/** Number of digits to show of a device's id: enough to distinguish the devices of one person. */
const DIGITS = 6;

/** Returns the id of this device in the database; undefined until it is known. */
export function useOwnDevice(database: Database): string | undefined {
  const [own, setOwn] = useState<string | undefined>();
  useEffect(() => {
    let isCurrent = true;
    database.device().then(
      (device) => (isCurrent ? setOwn(device) : undefined),
      // Without its id, this device is shown by its digits, like any other device.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [database]);
  return own;
}

export interface StampTextProps {
  readonly stamp: EventStamp;
  readonly own: string | undefined;
  /** The people who have access to the ledger. */
  readonly people?: People | undefined;
}

/**
 * Shows when and on which device something was written, by the clock of that device. For events
 * that contain neither, shows when the gateway received them, and from which account.
 */
export function StampText({ stamp, own, people = NOBODY }: StampTextProps) {
  const { time, device, signature, author, received } = stamp;
  if (time === undefined || device === undefined)
    return received === undefined ? null : <ReceivedText {...{ received, people }} />;
  const date = new Date(time).toISOString();
  const { person } = whoWrote(stamp, own, people);
  return (
    <span className="text-xs text-ink-3">
      <time dateTime={date} title={timeOf(date)}>
        {agoOf(time, Date.now())}
      </time>
      {' · '}
      {device === own || isNamed(device, people) ? (
        deviceText(device, own, people)
      ) : person !== undefined ? (
        <span title={`Device ${device.slice(0, DIGITS)}`}>a device of {person}</span>
      ) : (
        <>
          device <code className="font-mono">{device.slice(0, DIGITS)}</code>
        </>
      )}
      {author === undefined ? signature === 'valid' && ' · signed' : authorText(author)}
      {signature === 'bad' && <strong className="text-conflict"> · changed after it was signed</strong>}
    </span>
  );
}

/** Says as whose change the members of the ledger count this one. */
function authorText({ status, name, addedBy }: NonNullable<EventStamp['author']>): string {
  if (status === 'verified')
    return addedBy === undefined
      ? ` · signed by ${name}`
      : ` · signed by ${name}, on a device added by ${addedBy}`;
  if (status === 'vouched for') return ` · vouched for by ${name}`;
  return status === 'not accepted' ? ' · only on this device' : ' · before the list of members';
}

interface ReceivedTextProps {
  readonly received: NonNullable<EventStamp['received']>;
  readonly people: People;
}

function ReceivedText({ received: { atMs, account }, people }: ReceivedTextProps) {
  const date = new Date(atMs).toISOString();
  return (
    <span className="text-xs text-ink-3">
      unsigned, received by the gateway{' '}
      <time dateTime={date} title={timeOf(date)}>
        {agoOf(atMs, Date.now())}
      </time>{' '}
      from{' '}
      {account === undefined ? (
        'an unknown account'
      ) : people.has(account) ? (
        people.get(account)?.name
      ) : areLoading(people) ? (
        'somebody'
      ) : (
        <>
          account <code className="font-mono">{account}</code>
        </>
      )}
    </span>
  );
}
