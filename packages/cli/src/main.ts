/**
 * The command line. Finds the command, prints its result and returns the exit code: 0 for success,
 * 1 for a rejection or failure, 2 for wrong usage.
 */
import { isFixpointError } from '@fixpoint/protocol';
import { reasonFor } from '@fixpoint/protocol/admin';
import { type Command, helpOf, readCall, UsageError } from './command.ts';
import { api } from './commands/api.ts';
import { backup, restore } from './commands/backups.ts';
import { check } from './commands/check.ts';
import { invite } from './commands/invite.ts';
import { ledgers } from './commands/ledgers.ts';
import { exportCommand } from './commands/local/export.ts';
import { find } from './commands/local/find.ts';
import { history } from './commands/local/history.ts';
import { importCommand } from './commands/local/import.ts';
import { members } from './commands/local/members.ts';
import { migrate } from './commands/local/migrate.ts';
import { verify } from './commands/local/verify.ts';
import { login } from './commands/login.ts';
import { mcp } from './commands/mcp.ts';
import { operate } from './commands/operate.ts';
import { operatorsCommand } from './commands/operators.ts';
import { serve } from './commands/serve.ts';
import { tenants } from './commands/tenants.ts';
import { token } from './commands/token.ts';
import { users } from './commands/users.ts';
import { waitlistCommand } from './commands/waitlist.ts';
import type { Io } from './io.ts';

export { type Io, processIo } from './io.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  serve,
  api,
  mcp,
  login,
  token,
  tenants,
  ledgers,
  invite,
  export: exportCommand,
  import: importCommand,
  find,
  history,
  verify,
  members,
  migrate,
  waitlist: waitlistCommand,
  users,
  operators: operatorsCommand,
  operate,
  backup,
  restore,
  check,
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
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  try {
    if (command === undefined) throw new UsageError(`there is no command ${name}; see fixpoint help`);
    if (rest.includes('--help')) {
      for (const line of helpOf(name, command)) io.out(line);
      return 0;
    }
    const { json, lines, failed } = await command.run(readCall(command, rest, io));
    for (const line of isJson ? [JSON.stringify(json)] : lines) io.out(line);
    return failed === true ? 1 : 0;
  } catch (cause) {
    return tell(cause, io, isJson, command && name);
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
