import { changeUsers, configFrom, type KnownUser, knownUsers, USER_ACTIONS } from '@fixpoint/cloud';
import { type Command, UsageError } from '../command.ts';

const SIGNED_OUT_HERE = 'has no signed-in programs any more; the sign-in provider keeps his browsers';

const DONE = {
  ban: 'is banned, and signed out everywhere',
  unban: 'may sign in again',
  'sign-out': 'is signed out everywhere',
  'reset-factors': 'has no passkeys and no second factor any more, and is signed out everywhere',
} as const;

export const users: Command = {
  summary: 'see users, ban them, end their sessions (on the machine of the server)',
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
    if (action === undefined) throw new UsageError(`there is no users ${verb}`);
    const isAll = flag('all');
    if (isAll && action !== 'sign-out') throw new UsageError('--all is for sign-out');
    if (isAll === wanted.length > 0) throw new UsageError('whom? addresses or ids, or for sign-out --all');
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
