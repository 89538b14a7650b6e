import { changeUsers, configFrom, type KnownUser, knownUsers, USER_ACTIONS } from '@fixpoint/cloud';
import { type Command, UsageError } from '../command.ts';

const SIGNED_OUT_HERE =
  'is signed out of all programs. To end their browser sessions, use the sign-in provider';

const DONE = {
  ban: 'is banned, and signed out everywhere',
  unban: 'may sign in again',
  'sign-out': 'is signed out everywhere',
  'reset-factors':
    'no longer has passkeys or a second factor, and is signed out of all browsers and applications',
  remove: 'is removed, and stays out of the application',
  readmit: 'may sign in to the application again; the application sets their rights',
} as const;

export const users: Command = {
  usage: [
    'users',
    'users ban|unban <email or id>...',
    'users sign-out <email or id>... | --all',
    'users reset-factors <email or id>...',
    'users remove|readmit <id of a user of an application>...',
  ],
  options: {
    data: {
      type: 'string',
      value: 'FOLDER',
      help: 'folder of the server data; default: $FIXPOINT_DATA or ./.fixpoint',
    },
    all: { type: 'boolean', help: 'sign out all users; works only with sign-out' },
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
      throw new UsageError('pass the addresses or ids of users, or use sign-out --all without them');
    const changed = await changeUsers(config, action, isAll ? undefined : wanted);
    const lines = changed.map(({ userId, email, provider }) => {
      const isElsewhere = action === 'sign-out' && provider !== 'fixpoint';
      return `${email ?? userId} ${isElsewhere ? SIGNED_OUT_HERE : DONE[action]}.`;
    });
    return { json: { users: changed }, lines };
  },
};

const lineOf = ({ since, userId, status, provider, providerUserId, email, own }: KnownUser): string =>
  [
    since,
    userId,
    status,
    provider,
    ...(own === undefined ? [email ?? ''] : factsOf(own, providerUserId)),
  ].join('  ');

const factsOf = (
  { application, lastSignInAt, rights }: NonNullable<KnownUser['own']>,
  subject: string,
): readonly string[] => [
  `${subject} of ${application}`,
  rights === 1 ? '1 database' : `${rights} databases`,
  `signed in ${lastSignInAt ?? 'never'}`,
];
