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

/** Tables that answer the same for every ledger, and the queries that they received. */
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

describe('the ledger that a request is about', () => {
  test.each([
    ['a ledger that the token names', of('t', 'l')],
    ['one that it names for readers, if nothing is written', of('t', 'read-only')],
    ['the selected one', of('chosen', 'own')],
    ['one that it names, in the selected tenant', of('chosen', 'l')],
    ['the selected one, in a tenant that it names', of('t', 'own')],
  ])('returns %s when the tables grant it', async (_, ledger) => {
    const { rights, asked } = tables('read');
    expect(await requireLedger({ rights }, claims, ledger, 'read')).toEqual(ledger);
    expect(asked).toEqual([['u', ledger.tenant, ledger.ledger, undefined]]);
    await expect(
      requireLedger({ rights: tables('none').rights }, claims, ledger, 'read'),
    ).rejects.toMatchObject(refused('NOT_FOUND'));
  });

  test.each([
    ['a tenant that the token does not name', of('other', 'l')],
    ['a ledger that it does not name', of('t', 'other')],
    ['neither', of('', '')],
  ])('[S1] does not find %s, and does not query the tables', async (_, ledger) => {
    const { rights, asked } = tables('write');
    await expect(requireLedger({ rights }, claims, ledger, 'read')).rejects.toMatchObject(
      refused('NOT_FOUND'),
    );
    expect(asked).toEqual([]);
  });

  test('returns the selected ledger if the request names none, and finds none without a selection', async () => {
    const { rights, asked } = tables('write');
    const byApiToken = { ...claims, apiToken: 'a' };
    expect(await requireLedger({ rights }, byApiToken, undefined, 'write')).toEqual(of('chosen', 'own'));
    expect(asked).toEqual([['u', 'chosen', 'own', 'a']]);
    for (const selected of [{}, { tenant: 't' }, { ledger: 'l' }])
      await expect(
        requireLedger({ rights }, { ...claims, selected }, undefined, 'read'),
      ).rejects.toMatchObject(refused('NOT_FOUND'));
  });

  test('[S1] allows writes only if both token and tables do', async () => {
    const write = (access: LedgerAccess, ledger: string) =>
      requireLedger({ rights: tables(access).rights }, claims, of('t', ledger), 'write');
    expect(await write('write', 'l')).toEqual(of('t', 'l'));
    await expect(write('read', 'l')).rejects.toMatchObject(refused('FORBIDDEN'));
    await expect(write('write', 'read-only')).rejects.toMatchObject(refused('FORBIDDEN'));
    await expect(write('none', 'l')).rejects.toMatchObject(refused('NOT_FOUND'));
  });
});
