/** Commands that back up a server and restore backups. */
import {
  type BackupSecretConfig,
  type BackupSummary,
  type BackupTarget,
  backUp,
  backupSecretFrom,
  backupTarget,
  type CloudConfig,
  configFrom,
  restore as restoreBackup,
  verify,
} from '@fixpoint/cloud';
import { type Call, type Command, type Option, required } from '../command.ts';

const OPTIONS: Readonly<Record<string, Option>> = {
  'key-file': {
    type: 'string',
    value: 'FILE',
    help: 'file of a 32-byte key that encrypts the backup; default: $BACKUP_KEY_FILE, or a passphrase in $BACKUP_PASSPHRASE',
  },
  data: {
    type: 'string',
    value: 'FOLDER',
    help: 'folder of the server data; default: $FIXPOINT_DATA or ./.fixpoint',
  },
};

export const backup: Command = {
  usage: ['backup --to FOLDER', "backup --to 's3://bucket/prefix?endpoint=https://host'"],
  options: {
    to: { type: 'string', value: 'PLACE', help: 'folder or bucket of the backups; default: $BACKUP_TO' },
    ...OPTIONS,
  },
  takes: { '': 0 },
  run: async (call) => {
    const place = required(call.text('to') ?? call.io.env['BACKUP_TO'], '--to');
    const { config, target, secret } = backupCall(call, '--to', place);
    const made = await backUp(config, target, secret);
    const lost = made.missing + made.skipped;
    const said = lost > 0 ? `Backup ${made.id} lacks ${lost} objects.` : `Backup ${made.id} is complete.`;
    return { json: { backup: made }, lines: [said, ...linesOf(made)], failed: lost > 0 };
  },
};

export const restore: Command = {
  usage: [
    'restore --from FOLDER',
    'restore --from FOLDER/fixpoint-20261128T120000000Z-1a2b3c4d',
    'restore --from PLACE --verify',
  ],
  options: {
    from: {
      type: 'string',
      value: 'PLACE',
      help: 'a backup, or a folder or bucket of backups, of which the newest complete one is restored',
    },
    verify: { type: 'boolean', help: 'read and check the whole backup, but restore nothing' },
    ...OPTIONS,
  },
  takes: { '': 0 },
  run: async (call) => {
    const { config, target, secret } = backupCall(call, '--from', required(call.text('from'), '--from'));
    const isTrial = call.flag('verify');
    const done = await (isTrial ? verify : restoreBackup)(config, target, secret);
    const said = isTrial
      ? `Backup ${done.id} is complete and undamaged.`
      : `Restored the backup ${done.id}. Start the server now: devices resend what they wrote later.`;
    return { json: { backup: done, isRestored: !isTrial }, lines: [said, ...linesOf(done)] };
  },
};

interface BackupCall {
  readonly config: CloudConfig;
  readonly target: BackupTarget;
  readonly secret: BackupSecretConfig | undefined;
}

/**
 * @param source name of the option that contains the place
 * @throws FixpointError CONFIG_INVALID
 */
function backupCall({ io, text }: Call, source: string, place: string): BackupCall {
  const [data, keyFile] = [text('data'), text('key-file')];
  const env = {
    ...io.env,
    ...(data !== undefined && { FIXPOINT_DATA: data }),
    ...(keyFile !== undefined && { BACKUP_KEY_FILE: keyFile, BACKUP_PASSPHRASE: undefined }),
  };
  return {
    // The settings of scheduled backups don't concern a command.
    config: configFrom({ ...env, BACKUP_TO: undefined }),
    target: backupTarget(env, source, place),
    secret: backupSecretFrom(env),
  };
}

function linesOf(backup: BackupSummary): string[] {
  const { moment, rows, objects, bytes, seconds, missing, skipped, server, isEncrypted } = backup;
  const lines = [
    `It contains every write that was acknowledged before ${moment}.`,
    `${rows} rows, ${objects} objects, ${bytes} bytes, ${isEncrypted ? 'encrypted' : 'not encrypted'}, made in ${seconds} s.`,
    `It is a backup of the server ${server}.`,
  ];
  if (missing > 0) lines.push(`${missing} objects were already missing on the server: run fixpoint check.`);
  if (skipped > 0) lines.push(`${skipped} objects have names that a restore couldn't store: it skips them.`);
  return lines;
}
