/**
 * The command line. Finds the command, prints its result and returns the exit code: 0 for success,
 * 1 for a rejection or failure, 2 for wrong usage.
 */
import { isFixpointError } from '@fixpoint/protocol';
import { reasonFor } from '@fixpoint/protocol/admin';
import { type Command, helpOf, readCall, UsageError } from './command.ts';
import type { Io } from './io.ts';

export { type Io, processIo } from './io.ts';

/** A command, which is loaded when it runs, because the server takes long to load. */
interface Listed {
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

const COMMANDS: Readonly<Record<string, Listed>> = {
  serve: {
    summary: 'run a server with the console and the cloud',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  api: {
    summary: 'serve a local database over HTTP, for programs in any language',
    load: async () => (await import('./commands/api.ts')).api,
  },
  mcp: {
    summary: 'offer a local database to AI assistants, over the Model Context Protocol',
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  login: {
    summary: 'sign this device in with a code that you approve in the console',
    load: async () => (await import('./commands/login.ts')).login,
  },
  token: {
    summary: 'print a cloud token for a database; list and revoke API tokens',
    load: async () => (await import('./commands/token.ts')).token,
  },
  tenants: {
    summary: 'list, create, rename and delete tenants',
    load: async () => (await import('./commands/tenants.ts')).tenants,
  },
  ledgers: {
    summary: 'list, create, rename and delete databases in the cloud',
    load: async () => (await import('./commands/ledgers.ts')).ledgers,
  },
  invite: {
    summary: 'invite somebody to a tenant or a database; list and revoke invites',
    load: async () => (await import('./commands/invite.ts')).invite,
  },
  export: {
    summary: 'write each document of a local database as one line of JSON',
    load: async () => (await import('./commands/local/export.ts')).exportCommand,
  },
  import: {
    summary: 'import the output of `export` into a local database',
    load: async () => (await import('./commands/local/import.ts')).importCommand,
  },
  find: {
    summary: 'print the documents of a local database that match conditions and words',
    load: async () => (await import('./commands/local/find.ts')).find,
  },
  history: {
    summary: 'list the newest events of a local database, or the versions of a document',
    load: async () => (await import('./commands/local/history.ts')).history,
  },
  verify: {
    summary: 'read and check everything that a local database stores',
    load: async () => (await import('./commands/local/verify.ts')).verify,
  },
  members: {
    summary: 'list the members and devices that can read an end-to-end encrypted database',
    load: async () => (await import('./commands/local/members.ts')).members,
  },
  migrate: {
    summary: 'import a database of @fireproof/core into a local database, with its history',
    load: async () => (await import('./commands/local/migrate.ts')).migrate,
  },
  waitlist: {
    summary: 'list and approve people on the waitlist (run this on the server machine)',
    load: async () => (await import('./commands/waitlist.ts')).waitlistCommand,
  },
  users: {
    summary: 'list, ban, sign out and remove users (run this on the server machine)',
    load: async () => (await import('./commands/users.ts')).users,
  },
  operators: {
    summary: 'list, add and remove operators of a server (run this on the server machine)',
    load: async () => (await import('./commands/operators.ts')).operatorsCommand,
  },
  operate: {
    summary: 'show tenants, storage, gateways and failed mails; set limits (run this on the server machine)',
    load: async () => (await import('./commands/operate.ts')).operate,
  },
  backup: {
    summary: 'back up a server while it runs (run this on the server machine)',
    load: async () => (await import('./commands/backups.ts')).backup,
  },
  restore: {
    summary: 'restore a backup into an empty server (run this on the server machine)',
    load: async () => (await import('./commands/backups.ts')).restore,
  },
  check: {
    summary: 'check the tables and objects of a server (run this on the server machine)',
    load: async () => (await import('./commands/check.ts')).check,
  },
  'check-console': {
    summary: "compare a server's console with the one of this version",
    load: async () => (await import('./commands/check-console.ts')).checkConsole,
  },
};

/**
 * Runs a command.
 * @returns the exit code
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const about = argv[0] === 'help' ? argv[1] : undefined;
  const [name = '', ...rest] = about === undefined ? argv : [about, '--help'];
  const isJson = rest.includes('--json');
  if (name === '' || name === 'help' || name === '--help') {
    for (const line of overview()) io.out(line);
    return name === '' ? 2 : 0;
  }
  const listed = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  try {
    if (listed === undefined) throw new UsageError(`there is no command ${name}; see fixpoint help`);
    const command = await listed.load();
    if (rest.includes('--help')) {
      for (const line of helpOf(name, listed.summary, command)) io.out(line);
      return 0;
    }
    const { json, lines, failed } = await command.run(readCall(command, rest, io));
    for (const line of isJson ? [JSON.stringify(json)] : lines) io.out(line);
    return failed === true ? 1 : 0;
  } catch (cause) {
    return tell(cause, io, isJson, listed && name);
  }
}

function tell(cause: unknown, io: Io, isJson: boolean, name: string | undefined): number {
  const isUsage = cause instanceof UsageError;
  const message = isFixpointError(cause) ? reasonFor(cause) : (cause as Error).message;
  const code = isUsage ? 'USAGE' : isFixpointError(cause) ? cause.code : 'FAILED';
  if (isJson) io.note(JSON.stringify({ code, message }));
  else {
    io.note(`fixpoint: ${message.replace(/\s+/g, ' ')}`);
    if (isUsage && name !== undefined) io.note(`See fixpoint ${name} --help.`);
  }
  return isUsage ? 2 : 1;
}

function overview(): string[] {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length)) + 2;
  return [
    'Fixpoint: a local-first document database, its cloud and its console.',
    '',
    ...Object.entries(COMMANDS).map(([name, { summary }]) => `  fixpoint ${name.padEnd(width)}${summary}`),
    '',
    'Run fixpoint <command> --help for details. Exit codes: 0 done, 1 rejected or failed, 2 wrong usage.',
  ];
}
