import { screen } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { signedIn, tenantCalled } from '../../cloud/app.fixture.ts';
import { drawPart } from '../../cloud/part.fixture.tsx';
import { agreeTo } from '../../local/agreed-endpoints.ts';
import { endpointHere } from '../../local/endpoint.ts';
import { withPages } from '../../ui/pages.fixture.tsx';
import { ConnectedBadge } from './connected-badge.tsx';

withPages();
afterEach(() => localStorage.clear());

const badge = (endpoint: string) =>
  drawPart(
    () => (
      <ConnectedBadge
        localName="pantry"
        connection={{
          localName: 'pantry',
          remoteName: 'team pantry',
          sanitizedRemoteName: 'team_pantry',
          endpoint,
          firstConnect: false,
        }}
      />
    ),
    signedIn({ tenants: [tenantCalled('zT', 'Language Lab')] }),
  );

describe('the state of a connected database beside its title', () => {
  test('says in its tooltip why the database doesn’t sync', async () => {
    await badge('fpcloud://host');
    const shown = await screen.findByText('Not connected');
    expect(shown.title).toMatch(/^Open the database to connect it at host\.$/);
  });

  test('says in its tooltip what the database syncs with', async () => {
    await badge('');
    expect((await screen.findByText('Local only')).title).toBe('pantry → team pantry');
  });

  test('names the tenant of the database in the cloud', async () => {
    const endpoint = endpointHere({ tenantId: 'zT', ledgerId: 'zL' });
    agreeTo('pantry', endpoint, 'ada@example.com');
    await badge(endpoint);
    expect((await screen.findByText('Waiting')).title).toMatch(/^Syncs in a moment/);
  });
});
