import { describe, expect, test } from 'vitest';
import { createAdminClient, reasonFor } from './client.ts';
import { REQUESTS } from './requests.ts';

const auth = { type: 'fixpoint', token: 'secret-token' };
const tenant = {
  tenantId: 'z1',
  name: 'Acme',
  ownerUserId: 'z2',
  status: 'active',
  createdAt: '',
  updatedAt: '',
};

function clientAnswering(response: () => Response | Promise<Response>, signedIn = true) {
  const sent: { url: string; init: RequestInit; body: unknown }[] = [];
  const fetch = async (url: unknown, init: RequestInit = {}) => {
    sent.push({ url: String(url), init, body: JSON.parse(String(init.body)) });
    return response();
  };
  const client = createAdminClient({
    url: '/api',
    fetch: fetch as typeof globalThis.fetch,
    auth: async () => (signedIn ? auth : undefined),
  });
  return { client, sent };
}

describe('the admin client', () => {
  test('sends a PUT with type, auth and payload, and no cookie', async () => {
    const { client, sent } = clientAnswering(() => Response.json({ type: 'resCreateTenant', tenant }));
    expect(await client.createTenant('Acme')).toEqual({ ok: true, value: tenant });
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({
      url: '/api',
      init: { method: 'PUT', credentials: 'omit', headers: { 'content-type': 'application/json' } },
      body: { type: 'reqCreateTenant', auth, tenant: { name: 'Acme' } },
    });
  });

  test('[8.1] returns an error with status and body for an answer that is not OK', async () => {
    const refusal = { type: 'error', code: 'LIMIT_REACHED', message: 'limit reached: 5 tenants', error: 'x' };
    const { client } = clientAnswering(() => Response.json(refusal, { status: 409, statusText: 'Conflict' }));
    const result = await client.createTenant('Acme');
    if (result.ok) throw new Error('was not refused');
    expect(result.error.message).toBe(`HTTP: 409 Conflict: ${JSON.stringify(refusal)}`);
    expect(result.error.code).toBe('LIMIT_REACHED');
    expect(reasonFor(result.error)).toBe('limit reached: 5 tenants');
  });

  test('[8.1] returns an error for an answer that is not from a Fixpoint server', async () => {
    for (const body of ['<html>', '', 'null', '[]', '"text"', '{"code":"__proto__"}']) {
      const { client } = clientAnswering(
        () => new Response(body, { status: 502, statusText: 'Bad Gateway' }),
      );
      const result = await client.listTenantsByUser();
      expect(result).toMatchObject({ ok: false, error: { code: 'HTTP' } });
      if (!result.ok) expect(result.error.message).toBe(`HTTP: 502 Bad Gateway: ${body}`);
    }
  });

  test('[8.2] sends nothing without a token', async () => {
    const { client, sent } = clientAnswering(() => Response.json({}), false);
    const result = await client.ensureUser();
    expect(result).toMatchObject({ ok: false, error: { code: 'NO_TOKEN', message: 'No token available' } });
    expect(sent).toEqual([]);
  });

  test('fetches a token by result id without signing in', async () => {
    const answer = { type: 'resTokenByResultId', resultId: 'random-id', status: 'found', token: 't' };
    const { client, sent } = clientAnswering(() => Response.json(answer), false);
    expect(await client.tokenByResultId('random-id')).toEqual({ ok: true, value: 't' });
    expect(sent[0]?.body).toEqual({ type: 'reqTokenByResultId', resultId: 'random-id' });
  });

  test('returns an error, and never throws, for a network failure or a malformed answer', async () => {
    const broken = clientAnswering(() => Promise.reject(new TypeError('network down')));
    expect(await broken.client.listInvites()).toMatchObject({ ok: false, error: { code: 'FETCH' } });
    const odd = clientAnswering(() => Response.json({ type: 'resListInvites', tickets: 7 }));
    expect(await odd.client.listInvites()).toMatchObject({ ok: false });
  });

  test('accepts unknown fields from a newer server', async () => {
    const { client } = clientAnswering(() =>
      Response.json({ type: 'resCreateTenant', tenant: { ...tenant, colour: 'red' }, extra: 1 }),
    );
    expect(await client.createTenant('Acme')).toMatchObject({ ok: true, value: { colour: 'red' } });
  });

  test('has a method with the name of each request', async () => {
    const { client, sent } = clientAnswering(() => Response.json({}, { status: 403 }));
    const methods = client as unknown as Record<string, (given?: object) => Promise<unknown>>;
    for (const type of Object.keys(REQUESTS)) {
      const name = `${type.charAt(3).toLowerCase()}${type.slice(4)}`;
      expect(await methods[name]?.({}), name).toMatchObject({ ok: false, error: { code: 'HTTP' } });
      expect(sent.at(-1)?.body).toMatchObject({ type });
    }
  });

  test("isn't mistaken for a promise by await", async () => {
    const { client, sent } = clientAnswering(() => Response.json({}));
    expect((await client).call).toBe(client.call);
    expect(sent).toEqual([]);
  });

  test('returns an error for a method that belongs to no request', async () => {
    const { client, sent } = clientAnswering(() => Response.json({}));
    const { paintLedger } = client as unknown as { paintLedger(): Promise<unknown> };
    expect(await paintLedger()).toMatchObject({ ok: false, error: { code: 'FETCH' } });
    expect(sent).toEqual([]);
  });
});
