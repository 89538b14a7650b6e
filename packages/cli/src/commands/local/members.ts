import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { Attached, LedgerDevice, LedgerFork, LedgerLog, LedgerMember, SyncStatus } from 'fixpoint';
import { type Command, type Outcome, required } from '../../command.ts';
import { DIRECTORY_OPTIONS, withDatabase } from '../../local-database.ts';
import { LEDGER_OPTIONS, ledgerOf } from '../../served/ledger-remote.ts';

/** Maximum number of changes without effect that are listed. */
const WITHHELD_MAX = 20;
const ID_CHARS = 16;
const SILENT_DAYS = '14';

export const members: Command = {
  usage: ['members <database> --ledger ID [--tenant ID] [--directory FOLDER] [--silent-after DAYS]'],
  options: {
    ...LEDGER_OPTIONS,
    ...DIRECTORY_OPTIONS,
    'silent-after': {
      type: 'string',
      value: 'DAYS',
      help: `warn if there is no news of another device for this many days (default ${SILENT_DAYS})`,
    },
  },
  takes: { '': 1 },
  run: async (call) => {
    const ledger = required(call.text('ledger'), '--ledger');
    const silentAfter = daysIn(call.text('silent-after') ?? SILENT_DAYS);
    const seen = await withDatabase(call, false, async (db) => {
      const attached = await db.attach(await ledgerOf(call, ledger, 'sealed', { silentAfter }));
      try {
        return await seenBy(attached);
      } finally {
        await attached.detach();
      }
    });
    return outcomeOf(seen);
  },
};

/** @throws FixpointError REQUEST_INVALID */
function daysIn(text: string): number {
  const days = Number(text);
  if (days > 0) return days;
  throw new FixpointError('REQUEST_INVALID', '--silent-after must be a number of days');
}

interface Seen {
  readonly devices: readonly LedgerDevice[];
  /** Undefined if the database has no signed list of members. */
  readonly log: LedgerLog | undefined;
}

/** Prints what a device knows. A list of members that contradicts itself counts as a problem. */
export function outcomeOf({ devices, log }: Seen): Outcome {
  const lines = log === undefined ? devices.map(deviceLine) : [...logLines(log), ...devices.map(deviceLine)];
  if (log === undefined)
    lines.push('This database has no signed list of members: the server says who is a member.');
  return { json: { devices, log: log ?? null }, lines, failed: log !== undefined && log.forks.length > 0 };
}

/**
 * Syncs, and returns what this device then knows.
 * @throws FixpointError DEVICE_NOT_APPROVED, LEDGER_KIND; the refusals of the server, and the
 * reason why it can't be reached
 */
async function seenBy(attached: Attached): Promise<Seen> {
  const { devices } = attached;
  try {
    await syncedOnce(attached);
  } catch (cause) {
    // The list of members is complete while changes of this device wait because of it.
    if (!isFixpointError(cause, 'LEDGER_NOT_COMPARED') && !isFixpointError(cause, 'FORMAT_NEWER'))
      throw isFixpointError(cause, 'DEVICE_NOT_APPROVED') ? notApproved(await devices.code()) : cause;
  }
  const listed = await devices.list();
  return { devices: listed, log: (await devices.keyring())?.log };
}

/** Syncs, without waiting for a server that can't be reached. @throws FixpointError */
async function syncedOnce({ synced, status, onStatus }: Attached): Promise<void> {
  let stop: () => void = () => undefined;
  const unreachable = new Promise<never>((_, reject) => {
    const look = ({ state, error }: SyncStatus) => {
      if (state === 'offline') reject(error ?? new FixpointError('CONNECTION_NOT_OPEN'));
    };
    stop = onStatus(look);
    look(status());
  });
  await Promise.race([synced(), unreachable]).finally(stop);
}

const notApproved = (code: string) =>
  new FixpointError('DEVICE_NOT_APPROVED', `approve this device in the console: its code is ${code}`);

function logLines({
  id,
  isCompared,
  members: all,
  ignored,
  forks,
  withoutAccess,
  withheld,
  unconfirmed = [],
  ...log
}: LedgerLog): string[] {
  return [
    ...all.map(memberLine),
    `safety number: ${log.safetyNumber.replace(/.{5}(?=.)/g, '$& ')}`,
    ...(isCompared
      ? []
      : [
          `this device doesn't trust list ${id} yet: compare the safety number with a member, in the console`,
        ]),
    ...(log.waits === undefined ? [] : [`changes of this device wait: ${log.waits}`]),
    ...(log.silentSince === undefined
      ? []
      : [
          `silent: no news of another device since ${timeOf(log.silentSince)}: nobody used the database, or the server withholds what they sent`,
        ]),
    ...(log.clocksAhead ?? []).map(
      (name) => `wrong clock: signed times of ${name} are later than their arrival`,
    ),
    ...withoutAccess.map((device) => `lost access at the server: device ${device.slice(0, ID_CHARS)}`),
    ...ignored.map((entry) => `ignored: entry ${entry.id}${signerText(entry)}, by rule ${entry.rule}`),
    ...forks.map(forkLine),
    ...[...new Set(unconfirmed.map(({ member }) => member))].map(
      (name) => `compare the safety number with ${name}, in the console: the server may withhold an entry`,
    ),
    ...withheld
      .slice(-WITHHELD_MAX)
      .map((one) => `doesn't count: change ${one.event}${signerText(one)}: ${one.reason}`),
    ...(withheld.length > WITHHELD_MAX ? [`and ${withheld.length - WITHHELD_MAX} earlier changes`] : []),
  ];
}

const timeOf = (ms: number): string => new Date(ms).toISOString();

function memberLine({ name, yourName, role, isYou, admittedBy, user, heardAt }: LedgerMember): string {
  const by = admittedBy === undefined ? 'started the list' : `added by ${admittedBy}`;
  const seen = isYou ? ['you'] : heardAt === undefined ? [] : [`last seen ${timeOf(heardAt)}`];
  const named = yourName === undefined ? [] : [`your name: ${yourName}`];
  return ['member', name, role, by, `user ${user}`, ...seen, ...named].join('  ');
}

const signerText = ({ signer }: { readonly signer: string | undefined }): string =>
  signer === undefined ? '' : ` of ${signer}`;

const FORK_TEXTS: Readonly<Record<LedgerFork['kind'], string>> = {
  logs: 'the server shows two lists of members',
  copies: 'two copies of one device changed the list',
  withheld: 'the server withholds an entry',
};

function forkLine(fork: LedgerFork): string {
  const signer = fork.signer === undefined ? '' : ` (a device of ${fork.signer})`;
  return `contradiction: ${FORK_TEXTS[fork.kind]}${signer}: ${fork.sides.join(' and ')}`;
}

function deviceLine({ id, name, owner, approvedBy, since, heardAt, ...device }: LedgerDevice): string {
  const parts = [
    device.isRecovery ? 'recovery code' : 'device',
    id.slice(0, ID_CHARS),
    `of ${name ?? owner ?? 'unknown'}`,
    ...(approvedBy === undefined ? [] : [`added by ${approvedBy}`]),
    ...(since === undefined ? [] : [`since ${timeOf(since)}`]),
    ...(heardAt === undefined ? [] : [`last seen ${timeOf(heardAt)}`]),
    ...(device.isThis ? ['this device'] : []),
    ...(device.yourName === undefined ? [] : [`your name: ${device.yourName}`]),
    ...(device.isUnlisted ? ['not in the list of members'] : []),
  ];
  return parts.join('  ');
}
