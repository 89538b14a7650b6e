import { screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { done, signedIn } from '../../cloud/app.fixture.ts';
import { attachedDatabases, attachLocal, detachAll } from '../../cloud/ledgers/attached-databases.ts';
import { drawPart, hasButton, press } from '../../cloud/part.fixture.tsx';
import { freshLocal, freshName, withEngine } from '../../engine/engine-here.fixture.ts';
import { agreeTo, isAgreed } from '../../local/agreed-endpoints.ts';
import { connectionOf, listConnections, recordConnection } from '../../local/connections.ts';
import { openLocal } from '../../local/databases.ts';
import { endpointHere } from '../../local/endpoint.ts';
import { withPages } from '../../ui/pages.fixture.tsx';
import { attachedWith } from '../keys/attached.fixture.ts';
import { DisconnectButton } from './disconnect-button.tsx';

withPages();
withEngine();
beforeEach(() => localStorage.clear());
afterEach(async () => {
  vi.restoreAllMocks();
  await detachAll();
  localStorage.clear();
});

const PLACE = { tenantId: 'zT', ledgerId: 'zL' };
const ADA = 'ada@example.com';

/** Renders the button of a connected database that syncs. */
async function connected(label?: string) {
  const localName = freshName();
  const database = await freshLocal([{ _id: 'milk' }], localName);
  const endpoint = endpointHere(PLACE);
  const names = { localName, remoteName: 'team pantry', sanitizedRemoteName: `team_${localName}` };
  await recordConnection({ ...names, endpoint, firstConnect: false });
  agreeTo(localName, endpoint, ADA);
  const steps: string[] = [];
  const isRecorded = async () => connectionOf(await listConnections(), localName) !== undefined;
  const detach = async () => void steps.push(`detached, recorded: ${await isRecorded()}`);
  vi.spyOn(database, 'attach').mockResolvedValue(attachedWith({ kind: () => 'open-key', detach }).attached);
  const parts = signedIn({ api: { listLedgersByUser: () => done([{ ...PLACE, users: [] }] as never) } });
  attachLocal(parts.api, database, PLACE);
  await attachedDatabases().get(localName)?.attached;
  const more = label === undefined ? {} : { label };
  const Button = () => (
    <DisconnectButton localName={localName} remoteName="team pantry" localPath="/local" {...more} />
  );
  const pages = await drawPart(Button, parts);
  return { ...pages, localName, database, endpoint, steps, isRecorded };
}

const question = () => screen.queryByRole('dialog');

describe('the button that disconnects a database', () => {
  test('asks first, names both copies, and does nothing when the user cancels', async () => {
    const { localName, isRecorded, steps, path } = await connected();
    await press('Disconnect');
    expect(screen.getByRole('dialog', { name: `Disconnect ${localName}?` }).textContent).toContain(
      `"${localName}" and "team pantry" no longer sync. Both copies stay as they are`,
    );
    await press('Cancel');
    await waitFor(() => expect(question()).toBeNull());
    expect([await isRecorded(), steps, path()]).toEqual([true, [], '/']);
  });

  test('forgets the connection before the sync ends, so that the sync can’t begin again', async () => {
    const { steps } = await connected('Stop');
    await press('Stop');
    await press('Disconnect');
    await waitFor(() => expect(steps).toEqual(['detached, recorded: false']));
  });

  test('withdraws the agreement, so that a link can’t start the sync again', async () => {
    const { localName, endpoint, path } = await connected('Stop');
    await press('Stop');
    await press('Disconnect');
    await screen.findByText(`${localName} disconnected. Its documents stay here, and in team pantry.`);
    expect([isAgreed(localName, endpoint, ADA), path()]).toEqual([false, '/local']);
  });

  test('keeps the documents', async () => {
    const { localName, database } = await connected('Stop');
    await press('Stop');
    await press('Disconnect');
    await screen.findByText(/disconnected\. Its documents stay here/);
    expect(await database.get('milk')).toEqual({ _id: 'milk' });
    expect(attachedDatabases().has(localName)).toBe(false);
  });

  test('says why it failed, stays, and can be tried again', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    const { isRecorded, path } = await connected('Stop');
    const failing = vi.spyOn(openLocal('fp_sync'), 'del').mockRejectedValue(new Error('the disk is full'));
    await press('Stop');
    await press('Disconnect');
    await screen.findByText('Couldn’t disconnect the database: the disk is full');
    expect([await isRecorded(), path(), question() === null]).toEqual([true, '/', false]);
    failing.mockRestore();
    await press('Disconnect');
    await waitFor(() => expect(path()).toBe('/local'));
    expect(await isRecorded()).toBe(false);
  });

  test('is named after what it ends', async () => {
    await connected('Don’t connect');
    expect([hasButton('Don’t connect'), hasButton('Disconnect')]).toEqual([true, false]);
  });
});
