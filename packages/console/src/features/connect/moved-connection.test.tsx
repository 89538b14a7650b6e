import { screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { done, signedIn, tenantCalled } from '../../cloud/app.fixture.ts';
import { attachedDatabases, detachAll } from '../../cloud/ledgers/attached-databases.ts';
import { forgetKind, knownKind } from '../../cloud/ledgers/known-kinds.ts';
import { drawPart, press } from '../../cloud/part.fixture.tsx';
import { freshLocal, withEngine } from '../../engine/engine-here.fixture.ts';
import { isAgreed } from '../../local/agreed-endpoints.ts';
import { type Connection, listConnections, recordConnection } from '../../local/connections.ts';
import { endpointHere } from '../../local/endpoint.ts';
import { withPages } from '../../ui/pages.fixture.tsx';
import { MovedConnection } from './moved-connection.tsx';

withPages();
withEngine();
beforeEach(() => {
  localStorage.clear();
  for (const id of ['z1', 'n9']) forgetKind(id);
});

const PLACE = { tenantId: 't1', ledgerId: 'z1' };
const DATES = { createdAt: '', updatedAt: '' };
const BOTH = { tenantId: 't1', ownerId: 'u1', maxShares: 5, ...DATES };

async function connected(movedTo?: string) {
  const { name: localName } = await freshLocal([{ _id: 'unsent' }]);
  const connection: Connection = {
    ...{ localName, remoteName: 'Notes', sanitizedRemoteName: 'Notes' },
    ...{ endpoint: endpointHere(PLACE), firstConnect: false },
  };
  await recordConnection(connection);
  const ledgers = [
    { ...BOTH, ledgerId: 'z1', name: 'Notes', ...(movedTo && { movedTo }) },
    { ...BOTH, ledgerId: 'n9', name: 'Notes 2', kind: 'sealed' as const },
  ];
  const parts = signedIn({
    tenants: [tenantCalled('t1', 'Acme')],
    api: {
      listLedgersByUser: () => done(ledgers),
      cloudSessionToken: () => new Promise(() => undefined),
    },
  });
  await drawPart(() => <MovedConnection connection={connection} place={PLACE} />, parts);
  const endpoints = async () =>
    (await listConnections()).filter((one) => one.localName === localName).map(({ endpoint }) => endpoint);
  return { localName, endpoints };
}

describe('a local database whose ledger moved', () => {
  test('stays connected to the old ledger until the user confirms the new one and its kind', async () => {
    const { localName, endpoints } = await connected('n9');
    await screen.findByText('Notes moved to an end-to-end encrypted database');
    await press('Switch to Notes 2');
    expect([await endpoints(), attachedDatabases().size]).toEqual([[endpointHere(PLACE)], 0]);
    await press('Switch this device');
    const next = endpointHere({ tenantId: 't1', ledgerId: 'n9' });
    await waitFor(async () => expect(await endpoints()).toEqual([next]));
    await waitFor(() => expect(attachedDatabases().get(localName)?.place.ledgerId).toBe('n9'));
    expect([isAgreed(localName, next, 'ada@example.com'), knownKind({ ledgerId: 'n9' })]).toEqual([
      true,
      'sealed',
    ]);
    await detachAll();
  });

  test('shows nothing while the ledger has no successor', async () => {
    await connected();
    expect(screen.queryByRole('region', { name: 'This database moved' })).toBeNull();
  });
});
