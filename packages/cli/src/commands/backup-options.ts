/** Options that the commands for backups share. */
import {
  type BackupSecretConfig,
  type BackupSummary,
  type BackupTarget,
  backupSecretFrom,
  backupTarget,
  type CloudConfig,
  configFrom,
} from '@fixpoint/cloud';
import type { Call, Option } from '../command.ts';

export const BACKUP_OPTIONS: Readonly<Record<string, Option>> = {
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

export interface BackupCall {
  readonly config: CloudConfig;
  readonly target: BackupTarget;
  readonly secret: BackupSecretConfig | undefined;
}

/**
 * @param source name of the option that contains the place
 * @throws FixpointError CONFIG_INVALID
 */
export function backupCall({ io, text }: Call, source: string, place: string): BackupCall {
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

export function linesOf(backup: BackupSummary): string[] {
  const { moment, rows, objects, bytes, seconds, missing, isEncrypted } = backup;
  const lines = [
    `It contains every write that was acknowledged before ${moment}.`,
    `${rows} rows, ${objects} objects, ${bytes} bytes, ${isEncrypted ? 'encrypted' : 'not encrypted'}, made in ${seconds} s.`,
  ];
  if (missing > 0) lines.push(`${missing} objects were already missing on the server: run fixpoint check.`);
  return lines;
}
