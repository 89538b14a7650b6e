import { changeOperators, configFrom, type KnownOperator, operators } from '@fixpoint/cloud';
import { type Command, UsageError } from '../command.ts';

const NONE = 'This server has no operator. Its next start prints a one-time link for the first one.';

export const operatorsCommand: Command = {
  usage: ['operators', 'operators add|remove <email or id>...'],
  options: {
    data: {
      type: 'string',
      value: 'FOLDER',
      help: 'folder of the server data; default: $FIXPOINT_DATA or ./.fixpoint',
    },
  },
  takes: { list: 0 },
  run: async ({ io, args, text }) => {
    const data = text('data');
    const config = configFrom({ ...io.env, ...(data !== undefined && { FIXPOINT_DATA: data }) });
    const [verb = 'list', ...wanted] = args;
    if (verb !== 'list' && verb !== 'add' && verb !== 'remove')
      throw new UsageError(`there is no command operators ${verb}`);
    if (verb === 'list') return listed(await operators(config));
    if (wanted.length === 0) throw new UsageError('pass the addresses or ids of users');
    const changed = await changeOperators(config, verb, wanted);
    const now = await operators(config);
    const lines = changed.map(({ email, userId }) => `${email ?? userId} ${DONE[verb]}.`);
    return {
      json: { changed, operators: now },
      lines: [...(lines.length === 0 ? ['Nothing changed.'] : lines), ...(now.length === 0 ? [NONE] : [])],
    };
  },
};

const DONE = { add: 'is an operator now', remove: 'is no longer an operator' } as const;

const listed = (all: readonly KnownOperator[]) => ({
  json: { operators: all },
  lines:
    all.length === 0 ? [NONE] : all.map(({ since, userId, email }) => `${since}  ${userId}  ${email ?? ''}`),
});
