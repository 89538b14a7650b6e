import { restore as restoreBackup, verify } from '@fixpoint/cloud';
import { type Command, required } from '../command.ts';
import { BACKUP_OPTIONS, backupCall, linesOf } from './backup-options.ts';

export const restore: Command = {
  summary: 'restore a backup into an empty server (run this on the server machine)',
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
    ...BACKUP_OPTIONS,
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
