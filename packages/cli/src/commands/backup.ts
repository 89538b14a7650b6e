import { backUp } from '@fixpoint/cloud';
import { type Command, required } from '../command.ts';
import { BACKUP_OPTIONS, backupCall, linesOf } from './backup-options.ts';

export const backup: Command = {
  summary: 'back up a server while it runs (run this on the server machine)',
  usage: ['backup --to FOLDER', "backup --to 's3://bucket/prefix?endpoint=https://host'"],
  options: {
    to: { type: 'string', value: 'PLACE', help: 'folder or bucket of the backups; default: $BACKUP_TO' },
    ...BACKUP_OPTIONS,
  },
  takes: { '': 0 },
  run: async (call) => {
    const place = required(call.text('to') ?? call.io.env['BACKUP_TO'], '--to');
    const { config, target, secret } = backupCall(call, '--to', place);
    const made = await backUp(config, target, secret);
    return { json: { backup: made }, lines: [`Backup ${made.id} is complete.`, ...linesOf(made)] };
  },
};
