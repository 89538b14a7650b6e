/** Stores the tokens of `fixpoint login`, one for each server, in a file of mode 0600. */
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { ADMIN_PATH, FixpointError, urlOf } from '@fixpoint/protocol';
import type { Auth } from '@fixpoint/protocol/admin';
import { type AdminClient, createAdminClient } from '@fixpoint/protocol/admin';
import type { Call, Option } from './command.ts';
import type { Io } from './io.ts';

const URL_DEFAULT = 'http://localhost:7370';

export const SERVER_OPTIONS: Readonly<Record<string, Option>> = {
  url: {
    type: 'string',
    value: 'URL',
    help: `address of the server; default: $FIXPOINT_URL or ${URL_DEFAULT}`,
  },
};

interface Stored {
  readonly tokens: Readonly<Record<string, string>>;
}

const fileOf = ({ env }: Io): string =>
  join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'fixpoint', 'credentials.json');

async function read(io: Io): Promise<Stored> {
  try {
    const { tokens } = JSON.parse(await readFile(fileOf(io), 'utf8')) as Partial<Stored>;
    return { tokens: tokens ?? {} };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return { tokens: {} };
    throw new FixpointError(
      'CONFIG_INVALID',
      `${fileOf(io)} is damaged: delete this file, then sign in again`,
      {
        cause,
      },
    );
  }
}

/**
 * Returns the address of the server, from `--url`, the environment or the default.
 * @throws FixpointError REQUEST_INVALID if this isn't an http or https URL
 */
export function serverOf({ io, text }: Call): string {
  const given = text('url') ?? (io.env['FIXPOINT_URL'] || URL_DEFAULT);
  const url = urlOf(given);
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new FixpointError('REQUEST_INVALID', `the server must be an http or https address, not ${given}`);
  return url.origin + url.pathname.replace(/\/$/, '');
}

/** Saves the token atomically, readable by the current user only. */
export async function keepToken(io: Io, server: string, token: string): Promise<string> {
  const file = fileOf(io);
  const { tokens } = await read(io);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, JSON.stringify({ tokens: { ...tokens, [server]: token } }), { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, file);
  return file;
}

/** Returns the token from the environment, or else the token that `login` saved. */
async function authFor(io: Io, server: string): Promise<Auth | undefined> {
  const token = io.env['FIXPOINT_TOKEN'] || (await read(io)).tokens[server];
  return token === undefined ? undefined : { type: 'api-token', token };
}

export function adminFor(call: Call): AdminClient {
  const server = serverOf(call);
  return createAdminClient({
    url: `${server}${ADMIN_PATH}`,
    fetch: (input, init) =>
      call.io.fetch(input, init).catch((cause: unknown) => {
        throw unreachable(server, cause);
      }),
    auth: () => authFor(call.io, server),
  });
}

/**
 * Returns an error that names the server, why it can't be reached, and what to do. `fetch` itself
 * says only that it failed, and keeps the reason in its `cause`.
 */
export function unreachable(server: string, cause: unknown): FixpointError {
  const why = reasonIn(cause);
  const because = why === undefined ? '' : ` (${why})`;
  const error = new FixpointError('FETCH', undefined, { cause });
  error.message = `couldn't reach the server ${server}${because}: check that it runs, or name another one with --url or FIXPOINT_URL`;
  return error;
}

/** Returns the code of the innermost failure, such as `ECONNREFUSED`, or else its text. */
function reasonIn(thrown: unknown): string | undefined {
  let reason: string | undefined;
  for (let cause = thrown; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    reason = code === undefined || code === 'FETCH' ? cause.message || reason : code;
  }
  return reason;
}

/**
 * Returns the value, or throws an error whose text says what to do.
 * @throws FixpointError
 */
export function unwrap<T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: FixpointError },
): T {
  if (result.ok) return result.value;
  const { error } = result;
  if (error.code === 'NO_TOKEN' || error.code === 'NOT_SIGNED_IN')
    throw new FixpointError(error.code, 'sign in with `fixpoint login`, or set FIXPOINT_TOKEN', {
      cause: error,
    });
  throw error;
}
