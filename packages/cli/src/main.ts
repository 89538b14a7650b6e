/**
 * The command line. Finds the command, prints its result and returns the exit code: 0 for success,
 * 1 for a rejection or failure, 2 for wrong usage.
 */
import { isFixpointError } from '@fixpoint/protocol';
import { reasonFor } from '@fixpoint/protocol/admin';
import { type Command, helpOf, readCall, UsageError } from './command.ts';
import type { Io } from './io.ts';

export { type Io, processIo } from './io.ts';

/** Commands are loaded when they run, because the server takes long to load. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./commands/serve.ts')).serve,
  api: async () => (await import('./commands/api.ts')).api,
  mcp: async () => (await import('./commands/mcp.ts')).mcp,
  login: async () => (await import('./commands/login.ts')).login,
  token: async () => (await import('./commands/token.ts')).token,
  tenants: async () => (await import('./commands/tenants.ts')).tenants,
  ledgers: async () => (await import('./commands/ledgers.ts')).ledgers,
  invite: async () => (await import('./commands/invite.ts')).invite,
  export: async () => (await import('./commands/local/export.ts')).exportCommand,
  import: async () => (await import('./commands/local/import.ts')).importCommand,
  find: async () => (await import('./commands/local/find.ts')).find,
  history: async () => (await import('./commands/local/history.ts')).history,
  verify: async () => (await import('./commands/local/verify.ts')).verify,
  members: async () => (await import('./commands/local/members.ts')).members,
  migrate: async () => (await import('./commands/local/migrate.ts')).migrate,
  waitlist: async () => (await import('./commands/waitlist.ts')).waitlistCommand,
  users: async () => (await import('./commands/users.ts')).users,
  operators: async () => (await import('./commands/operators.ts')).operatorsCommand,
  operate: async () => (await import('./commands/operate.ts')).operate,
  backup: async () => (await import('./commands/backups.ts')).backup,
  restore: async () => (await import('./commands/backups.ts')).restore,
  check: async () => (await import('./commands/check.ts')).check,
  'check-console': async () => (await import('./commands/check-console.ts')).checkConsole,
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
    for (const line of await overview()) io.out(line);
    return name === '' ? 2 : 0;
  }
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  try {
    const command = await load?.();
    if (command === undefined) throw new UsageError(`there is no command ${name}; see fixpoint help`);
    if (rest.includes('--help')) {
      for (const line of helpOf(name, command)) io.out(line);
      return 0;
    }
    const { json, lines, failed } = await command.run(readCall(command, rest, io));
    for (const line of isJson ? [JSON.stringify(json)] : lines) io.out(line);
    return failed === true ? 1 : 0;
  } catch (cause) {
    return tell(cause, io, isJson, load && name);
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

async function overview(): Promise<string[]> {
  const commands = Object.entries(COMMANDS).map(async ([name, load]) => [name, await load()] as const);
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length)) + 2;
  return [
    'Fixpoint: a local-first document database, its cloud and its console.',
    '',
    ...(await Promise.all(commands)).map(
      ([name, { summary }]) => `  fixpoint ${name.padEnd(width)}${summary}`,
    ),
    '',
    'Run fixpoint <command> --help for details. Exit codes: 0 done, 1 rejected or failed, 2 wrong usage.',
  ];
}
