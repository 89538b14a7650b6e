/** Opens the built-in identity provider over a real database, and browsers that call it. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { openTestDatabase, temporaryFolder } from '../admin/admin.fixture.ts';
import { outboxMailer } from '../mail/outbox.ts';
import type { Db } from '../tables/connection.ts';
import { testDatabaseKind } from '../tables/postgres.fixture.ts';
import { builtinIdentity } from './builtin.ts';
import type { AuthSecrets, BuiltinParts } from './builtin-parts.ts';

export const URL_OF_SERVER = 'http://localhost:7370';
export const PASSWORD = 'correct horse';
export const SECRETS: AuthSecrets = [{ version: 1, value: 'first secret, of at least 32 characters' }];

interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests check the fields that they read
  readonly body: any;
  readonly headers: Headers;
}

/** Returns a browser, which keeps cookies and sends the origin of its page. */
export function browserFor(handle: (request: Request, ip: string) => Promise<Response>, ip = '10.0.0.1') {
  const cookies = new Map<string, string>();
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const request = new Request(`${URL_OF_SERVER}${path}`, {
      method,
      headers: {
        origin: URL_OF_SERVER,
        ...(cookie && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const response = await handle(request, ip);
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text.startsWith('{') ? JSON.parse(text) : text,
    };
  };
  return {
    cookies,
    send,
    get: (path: string, headers?: Record<string, string>) => send('GET', path, undefined, headers),
    post: (path: string, body: unknown, headers?: Record<string, string>) =>
      send('POST', path, body, headers),
  };
}

/** Hashes passwords quickly, because these tests don't need the slow hash. */
const cheap = {
  hash: async (password: string) => createHash('sha256').update(password).digest('hex'),
  verify: async (tried: { hash: string; password: string }) =>
    (await cheap.hash(tried.password)) === tried.hash,
};

export async function openIdentity(overrides: Partial<BuiltinParts> = {}) {
  const outbox = join(temporaryFolder(), 'outbox');
  const noted: unknown[] = [];
  const faults: unknown[] = [];
  const events: unknown[] = [];
  const clock = { aheadMs: 0 };
  const now = () => Date.now() + clock.aheadMs;
  const db = overrides.db ?? (await openTestDatabase());
  const identity = await builtinIdentity({
    database: testDatabaseKind,
    db,
    publicUrl: URL_OF_SERVER,
    basePath: '',
    secrets: SECRETS,
    mailer: outboxMailer(outbox, now, (mail) => void noted.push(mail)),
    signUp: 'open',
    secondFactor: 'optional',
    hasOwnWays: true,
    sessionDaysMax: 30,
    signOutEnds: 'keep',
    password: cheap,
    now,
    note: (event) => void events.push(event),
    report: (error) => void faults.push(error),
    ...overrides,
  });
  const mails = () => readdirSync(outbox).map((file) => readFileSync(join(outbox, file), 'utf8'));
  const browser = (ip?: string) => browserFor(identity.handle, ip);
  const signUp = async (email = 'ada@example.com', more: object = {}) => {
    const page = browser();
    const reply = await page.post('/auth/sign-up/email', { email, password: PASSWORD, name: 'Ada', ...more });
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    return page;
  };
  const tokenOf = async (page: ReturnType<typeof browserFor>): Promise<string> =>
    (await page.get('/auth/token')).body.token;
  return { identity, db, clock, browser, signUp, tokenOf, mails, noted, faults, events };
}

export const usersIn = async (db: Db) =>
  (await sql<Record<string, unknown>>`select * from "user" order by email`.execute(db)).rows;
