import { createAdminClient } from '@fixpoint/protocol/admin';
import { must } from './people.fixture.ts';

export interface LedgerAccess {
  readonly tenant: string;
  readonly ledger: string;
  /** Requests a new cloud token. */
  token(): Promise<string>;
}

/** Signs up a new user at a server, and creates a tenant and a ledger as the console does. */
export async function newLedger(url: string, email = 'ada@example.com'): Promise<LedgerAccess> {
  const signedUp = await fetch(`${url}/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ email, name: 'Ada', password: 'correct horse battery' }),
  });
  if (!signedUp.ok) throw new Error(`sign-up: ${signedUp.status} ${await signedUp.text()}`);
  const cookie = signedUp.headers
    .getSetCookie()
    .map((text) => text.split(';')[0])
    .join('; ');
  const identity = async () => {
    const answer = await fetch(`${url}/auth/token`, { headers: { cookie } });
    return ((await answer.json()) as { token: string }).token;
  };
  const admin = createAdminClient({
    url: `${url}/api`,
    fetch,
    auth: async () => ({ type: 'fixpoint', token: await identity() }),
  });
  must(await admin.ensureUser());
  const tenant = must(await admin.createTenant('Analytical Engines'));
  const ledger = must(await admin.createLedger({ tenantId: tenant.tenantId, name: 'notes' }));
  const selected = { tenant: tenant.tenantId, ledger: ledger.ledgerId };
  return { ...selected, token: async () => must(await admin.cloudSessionToken({ selected })) };
}
