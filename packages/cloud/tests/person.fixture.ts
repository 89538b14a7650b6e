import { expect } from 'vitest';
import { type Ledger, putJson } from './cloud.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests check the fields that they read
type Answer = any;

export interface PersonOnline {
  readonly email: string;
  readonly userId: string;
  /** The session cookie, as a browser sends it. */
  readonly cookie: string;
  /** Returns the answer of an admin request. Fails the test if the request fails. */
  ask(type: string, payload?: object): Promise<Answer>;
  /** Returns status and body of an admin request. */
  send(type: string, payload?: object): Promise<{ status: number; body: Answer }>;
}

/** Signs up a user with the built-in provider, over HTTP. */
export const newPerson = (url: string, name = 'ada'): Promise<PersonOnline> =>
  enter(url, 'sign-up', name, { name });

/** Signs in an existing user, with a new session. */
export const personAgain = (url: string, name = 'ada'): Promise<PersonOnline> => enter(url, 'sign-in', name);

async function enter(
  url: string,
  how: 'sign-up' | 'sign-in',
  name: string,
  more: object = {},
): Promise<PersonOnline> {
  const email = `${name}@example.com`;
  const entered = await fetch(`${url}/auth/${how}/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ email, password: 'a long password', ...more }),
  });
  expect(entered.status).toBe(200);
  const cookie = cookiesOf(entered);
  const token = await identityToken(url, cookie);
  const send = (type: string, payload: object = {}) =>
    putJson(`${url}/api`, { type, auth: { type: 'fixpoint', token }, ...payload });
  const ask = async (type: string, payload?: object) => {
    const { status, body } = await send(type, payload);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  const { user } = await ask('reqEnsureUser');
  return { email, userId: user.userId, cookie, ask, send };
}

export const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');

export async function identityToken(url: string, cookie: string): Promise<string> {
  const response = await fetch(`${url}/auth/token`, { headers: { cookie } });
  return ((await response.json()) as { token: string }).token;
}

/** Creates a tenant and a ledger for the user, with a cloud token for it. */
export async function ownLedger({ ask, userId }: PersonOnline, name = 'notes'): Promise<Ledger> {
  const { tenant } = await ask('reqCreateTenant', { tenant: { name } });
  const { ledger } = await ask('reqCreateLedger', { ledger: { tenantId: tenant.tenantId, name } });
  const ids = { tenant: tenant.tenantId, ledger: ledger.ledgerId };
  const { token } = await ask('reqCloudSessionToken', { selected: ids });
  return { ...ids, userId, token };
}
