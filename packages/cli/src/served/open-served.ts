/** Opens the database that `api` and `mcp` serve, and attaches it to its ledger. */
import { existsSync } from 'node:fs';
import { FixpointError } from '@fixpoint/protocol';
import { type Attached, type Database, fixpoint, type LedgerKind, type Remote } from 'fixpoint';
import { type ChangeFeed, changeFeed } from 'fixpoint/feed';
import { type Call, type Option, required, UsageError } from '../command.ts';
import { DIRECTORY_OPTIONS, directoryOf } from '../local-database.ts';
import { LEDGER_OPTIONS, ledgerOf } from './ledger-remote.ts';

export const SERVED_OPTIONS: Readonly<Record<string, Option>> = {
  ...DIRECTORY_OPTIONS,
  create: { type: 'boolean', help: 'create the database if it does not exist' },
  ...LEDGER_OPTIONS,
  ledger: { type: 'string', value: 'ID', help: 'also sync with this database of the cloud' },
  kind: {
    type: 'string',
    value: 'KIND',
    help: 'kind of the ledger: sealed (default: end-to-end encrypted) or open-key',
  },
};

export interface Served {
  readonly db: Database;
  readonly name: string;
  readonly directory: string;
  readonly feed: ChangeFeed;
  /** Absent without a ledger. */
  readonly attached: Attached | undefined;
  close(): Promise<void>;
}

/**
 * Opens the database whose name is the first argument. With `--ledger`, the name may be missing.
 * @throws FixpointError NOT_FOUND; the errors of opening, and of signing in
 */
export async function openServed(call: Call): Promise<Served> {
  const ledger = call.text('ledger');
  const name = call.args[0] ?? (ledger && `ledger-${ledger}`);
  const db = required(name, 'the name of a database');
  const kind = kindOf(call);
  const directory = directoryOf(call);
  const isNew = call.flag('create') || ledger !== undefined;
  if (!isNew && !existsSync(directory))
    throw new FixpointError('NOT_FOUND', `there is no folder ${directory}: pass it with --directory`);
  const remote = ledger === undefined ? undefined : await ledgerOf(call, ledger, kind);
  return opened(call, { name: db, directory, isNew, remote });
}

/** @throws UsageError */
function kindOf({ text }: Call): LedgerKind {
  const kind = text('kind') ?? 'sealed';
  if (kind !== 'sealed' && kind !== 'open-key') throw new UsageError('--kind must be sealed or open-key');
  return kind;
}

interface Wanted {
  readonly name: string;
  readonly directory: string;
  readonly isNew: boolean;
  readonly remote: Remote | undefined;
}

async function opened({ io }: Call, { name, directory, isNew, remote }: Wanted): Promise<Served> {
  const db = fixpoint(name, { directory, indexes: 'stored' });
  try {
    if (!isNew && (await db.head()).length === 0)
      throw new FixpointError(
        'NOT_FOUND',
        `there is no database ${name} in ${directory}, or it is empty: pass --create to create it`,
      );
    await db.ready();
    const attached = remote && (await db.attach(remote));
    if (attached !== undefined) noteSync(attached, io.note);
    const close = async () => {
      await attached?.detach();
      await db.close();
    };
    return { db, name, directory, feed: changeFeed(db), attached, close };
  } catch (cause) {
    await db.close();
    throw cause;
  }
}

/** Prints a line when the sync stops for a reason that somebody must resolve. */
function noteSync(attached: Attached, note: (line: string) => void): void {
  let told: string | undefined;
  attached.onStatus(({ state, error }) => {
    const isStuck = state === 'refused' || error?.code === 'DEVICE_NOT_APPROVED';
    const line = isStuck && error !== undefined ? `sync stopped: ${error.message}` : undefined;
    if (line !== undefined && line !== told) note(line);
    told = line;
    if (line !== undefined && error?.code === 'DEVICE_NOT_APPROVED')
      attached.devices.code().then(
        (code) => note(`approve this device in the console: its code is ${code}`),
        () => undefined,
      );
  });
}
