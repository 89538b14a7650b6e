import { describe, expect, test } from 'vitest';
import type { LedgerAccess } from '../rights/rights.ts';
import type { CloudClaims } from '../tokens/cloud-tokens.ts';
import { requireLedger } from './require-ledger.ts';

const claims: CloudClaims = {
  userId: 'u',
  email: 'ada@example.com',
  created: '2026-11-20T11:00:00.000Z',
  tenants: [{ id: 't', role: 'member' }],
  ledgers: [
    { id: 'l', role: 'member', right: 'write' },
    { id: 'read-only', role: 'member', right: 'read' },
  ],
  selected: { tenant: 'chosen', ledger: 'own' },
};

/** Tables that grant the same access to every ledger, and that record the queries. */
function tables(access: LedgerAccess) {
  const asked: unknown[][] = [];
  const rights = {
    accessTo: async (...question: unknown[]) => {
      asked.push(question);
      return access;
    },
    forget: () => undefined,
  };
  return { rights, asked };
}
const of = (tenant: string, ledger: string) => ({ tenant, ledger });
const refused = (code: string) => ({ code });

describe('requireLedger', () => {
  test.each([
    ['a ledger that the token lists', of('t', 'l')],
    ['a ledger that the token allows to read', of('t', 'read-only')],
    ['the ledger that the token selects', of('chosen', 'own')],
    ['a listed ledger in the selected tenant', of('chosen', 'l')],
    ['the selected ledger in a listed tenant', of('t', 'own')],
  ])('returns %s when the tables grant it', async (_, ledger) => {
    const { rights, asked } = tables('read');
    expect(await requireLedger({ rights }, claims, ledger, 'read')).toEqual(ledger);
    expect(asked).toEqual([['u', ledger.tenant, ledger.ledger, undefined]]);
    await expect(
      requireLedger({ rights: tables('none').rights }, claims, ledger, 'read'),
    ).rejects.toMatchObject(refused('NOT_FOUND'));
  });

  test.each([
    ['a ledger in a tenant that the token does not list', of('other', 'l')],
    ['a ledger that the token does not list', of('t', 'other')],
    ['an empty id', of('', '')],
  ])('[S1] reports %s as not found, without querying the tables', async (_, ledger) => {
    const { rights, asked } = tables('write');
    await expect(requireLedger({ rights }, claims, ledger, 'read')).rejects.toMatchObject(
      refused('NOT_FOUND'),
    );
    expect(asked).toEqual([]);
  });

  test('returns the selected ledger if the request specifies no ledger, and fails without a selection', async () => {
    const { rights, asked } = tables('write');
    const byApiToken = { ...claims, apiToken: 'a' };
    expect(await requireLedger({ rights }, byApiToken, undefined, 'write')).toEqual(of('chosen', 'own'));
    expect(asked).toEqual([['u', 'chosen', 'own', 'a']]);
    for (const selected of [{}, { tenant: 't' }, { ledger: 'l' }])
      await expect(
        requireLedger({ rights }, { ...claims, selected }, undefined, 'read'),
      ).rejects.toMatchObject(refused('NOT_FOUND'));
  });

  test('[S1] allows writes only if both the token and the tables allow them', async () => {
    const write = (access: LedgerAccess, ledger: string) =>
      requireLedger({ rights: tables(access).rights }, claims, of('t', ledger), 'write');
    expect(await write('write', 'l')).toEqual(of('t', 'l'));
    await expect(write('read', 'l')).rejects.toMatchObject(refused('FORBIDDEN'));
    await expect(write('write', 'read-only')).rejects.toMatchObject(refused('FORBIDDEN'));
    await expect(write('none', 'l')).rejects.toMatchObject(refused('NOT_FOUND'));
  });
});
