import { changeUsers, configFrom, type KnownUser, knownUsers, USER_ACTIONS } from '@fixpoint/cloud';
import { type Command, UsageError } from '../command.ts';

const SIGNED_OUT_HERE = 'is signed out of all programs; end their browser sessions at the sign-in provider';

const DONE = {
  ban: 'is banned, and signed out everywhere',
  unban: 'may sign in again',
  'sign-out': 'is signed out everywhere',
  'reset-factors': 'has no passkeys or second factor any more, and is signed out everywhere',
} as const;

export const users: Command = {
  summary: 'list users, ban them, end their sessions (on the server machine)',
  usage: [
    'users',
    'users ban|unban <email or id>...',
    'users sign-out <email or id>... | --all',
    'users reset-factors <email or id>...',
  ],
  options: {
    data: {
      type: 'string',
      value: 'FOLDER',
      help: 'data of the server; default FIXPOINT_DATA, or ./.fixpoint',
    },
    all: { type: 'boolean', help: 'sign everybody out' },
  },
  takes: { list: 0 },
  run: async ({ io, args, text, flag }) => {
    const data = text('data');
    const config = configFrom({ ...io.env, ...(data !== undefined && { FIXPOINT_DATA: data }) });
    const [verb = 'list', ...wanted] = args;
    if (verb === 'list') {
      const known = await knownUsers(config);
      return { json: { users: known }, lines: known.map(lineOf) };
    }
    const action = USER_ACTIONS.find((each) => each === verb);
    if (action === undefined) throw new UsageError(`there is no command users ${verb}`);
    const isAll = flag('all');
    if (isAll && action !== 'sign-out') throw new UsageError('--all works only with sign-out');
    if (isAll === wanted.length > 0)
      throw new UsageError('name users by address or id, or use sign-out --all');
    const changed = await changeUsers(config, action, isAll ? undefined : wanted);
    const lines = changed.map(({ userId, email, provider }) => {
      const isElsewhere = action === 'sign-out' && provider !== 'fixpoint';
      return `${email ?? userId} ${isElsewhere ? SIGNED_OUT_HERE : DONE[action]}.`;
    });
    return { json: { users: changed }, lines };
  },
};

const lineOf = ({ since, userId, status, provider, email }: KnownUser): string =>
  [since, userId, status, provider, email ?? ''].join('  ');
