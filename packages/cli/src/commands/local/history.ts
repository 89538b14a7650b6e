import type { CommitEvent, ConflictingDocument, DocumentVersion, EventStamp } from 'fixpoint';
import { type Call, type Command, UsageError } from '../../command.ts';
import { DIRECTORY_OPTIONS, withDatabase } from '../../local-database.ts';

const LIMIT_DEFAULT = 20;
const IDS_SHOWN = 3;

export const history: Command = {
  usage: [
    'history <database> [<document id>] [--limit N] [--directory FOLDER]',
    'history <database> --conflicts [--directory FOLDER]',
  ],
  options: {
    limit: {
      type: 'string',
      value: 'N',
      help: `maximum number of lines to print; default: ${LIMIT_DEFAULT}`,
    },
    conflicts: { type: 'boolean', help: 'list all documents with concurrent versions instead' },
    ...DIRECTORY_OPTIONS,
  },
  takes: { '': 2 },
  run: async (call) => {
    const limit = limitOf(call);
    const id = call.args[1];
    const isOfConflicts = call.flag('conflicts');
    if (isOfConflicts && id !== undefined)
      throw new UsageError('--conflicts lists all documents; omit the id');
    return withDatabase(call, false, async (db) => {
      const own = await db.device();
      if (isOfConflicts) {
        const { conflicts, unread } = await db.conflicts({ partial: true });
        const lines = conflicts.flatMap((one) => conflictLines(one, own));
        if (unread.length > 0) lines.push(unreadText(unread.length));
        return { json: { conflicts, unread }, lines: lines.length > 0 ? lines : ['There are no conflicts.'] };
      }
      if (id === undefined) {
        const events = await db.events({ limit });
        return { json: { events }, lines: events.map((one) => `${stampText(one, own)}  ${eventText(one)}`) };
      }
      const versions = await db.history(id, { limit });
      const lines = versions.map((one) => `${stampText(one, own)}  ${versionText(one)}`);
      return { json: { versions }, lines: lines.length > 0 ? lines : [`There are no versions of ${id}.`] };
    });
  },
};

/** @throws UsageError */
function limitOf({ text }: Call): number {
  const given = text('limit') ?? String(LIMIT_DEFAULT);
  if (!/^[1-9]\d{0,8}$/.test(given))
    throw new UsageError(`--limit must be a whole number above 0, not ${given}`);
  return Number(given);
}

/** Shown for an event without a time, and padded to the width of a time so that columns align. */
const UNKNOWN_TIME = 'unknown time'.padEnd(new Date(0).toISOString().length);

function stampText(stamp: EventStamp, own: string | undefined): string {
  const { time, device, signature } = stamp;
  const notes = `${signature === 'bad' ? '  BAD SIGNATURE' : ''}${receivedText(stamp)}`;
  if (time === undefined || device === undefined)
    return `${UNKNOWN_TIME}  ${'unknown device'.padEnd(16)}${notes}`;
  return `${new Date(time).toISOString()}  ${(device === own ? 'this device' : device.slice(0, 16)).padEnd(16)}${notes}`;
}

/** Returns what the gateway claims about an event that doesn't prove its author. */
function receivedText({ signature, received }: EventStamp): string {
  if (signature === 'valid' || received === undefined) return '';
  const { atMs, account } = received;
  const sender = account === undefined ? 'an unknown account' : `account ${account}`;
  const unsigned = signature === undefined ? 'unsigned, ' : '';
  return `  ${unsigned}received by the gateway at ${new Date(atMs).toISOString()} from ${sender}`;
}

function eventText({ event, ids, documents, deletions }: CommitEvent): string {
  const shown = ids.slice(0, IDS_SHOWN).map((id) => JSON.stringify(id));
  const names = [...shown, ...(documents > shown.length ? ['...'] : [])].join(', ');
  const deleted = deletions > 0 ? `, ${deletions} deleted` : '';
  return `${event.slice(-8)}  ${documents} written${deleted}${names && `: ${names}`}`;
}

/** Returns the id of a document, then its current version, then the others. */
function conflictLines({ id, winner, losers }: ConflictingDocument, own: string | undefined): string[] {
  const versions = [winner, ...losers].map((one) => `  ${stampText(one, own)}  ${versionText(one)}`);
  return [JSON.stringify(id), ...versions];
}

const unreadText = (events: number): string =>
  `Couldn't read ${events} ${events === 1 ? 'event' : 'events'}, so there may be other conflicts. fixpoint verify says which data is damaged.`;

function versionText({ event, value, isDropped, isUnreadable, concurrent }: DocumentVersion): string {
  const content =
    isDropped === true
      ? 'content no longer on this device'
      : isUnreadable === true
        ? 'content missing or damaged'
        : value === undefined
          ? 'deleted'
          : JSON.stringify(value);
  return `${event.slice(-8)}  ${content}${concurrent ? '  (concurrent)' : ''}`;
}
