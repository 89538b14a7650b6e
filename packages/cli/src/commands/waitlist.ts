import { approveWaitlist, configFrom, waitlist } from '@fixpoint/cloud';
import { type Command, UsageError } from '../command.ts';

export const waitlistCommand: Command = {
  usage: ['waitlist', 'waitlist approve <email>...', 'waitlist approve --all'],
  options: {
    data: {
      type: 'string',
      value: 'FOLDER',
      help: 'folder of the server data; default: $FIXPOINT_DATA or ./.fixpoint',
    },
    all: { type: 'boolean', help: 'approve everybody on the waitlist' },
  },
  takes: { list: 0 },
  run: async ({ io, args, text, flag }) => {
    const data = text('data');
    const config = configFrom({ ...io.env, ...(data !== undefined && { FIXPOINT_DATA: data }) });
    const [verb = 'list', ...wanted] = args;
    if (verb === 'list') {
      const waiting = await waitlist(config);
      return { json: { waiting }, lines: waiting.map(({ email, since }) => `${since}  ${email}`) };
    }
    if (verb !== 'approve') throw new UsageError(`there is no command waitlist ${verb}`);
    if (flag('all') === wanted.length > 0)
      throw new UsageError('pass the addresses of people, or use --all without them');
    const approved = await approveWaitlist(config, flag('all') ? undefined : wanted);
    return { json: { approved }, lines: approved.map(({ email }) => `Approved ${email}.`) };
  },
};
