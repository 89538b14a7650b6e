import { screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { appWith, signedIn } from '../../cloud/app.fixture.ts';
import type { App } from '../../cloud/app.ts';
import { drawPart, isDisabled, press } from '../../cloud/part.fixture.tsx';
import { freshLocal, freshName, withEngine } from '../../engine/engine-here.fixture.ts';
import { takeConfirmed } from '../../local/confirmed-connection.ts';
import {
  type Connection,
  connectionFrom,
  forgetConnections,
  recordConnection,
} from '../../local/connections.ts';
import { openLocal } from '../../local/databases.ts';
import { endpointHere } from '../../local/endpoint.ts';
import { waiting, withPages } from '../../ui/pages.fixture.tsx';
import { KeepHereCard } from './keep-here.tsx';

withPages();
withEngine();
beforeEach(() => localStorage.clear());
const made: string[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const name of made.splice(0)) await forgetConnections(name);
});

/** A ledger that no connection of another file names. */
const PLACE = { tenantId: 'zT', ledgerId: 'zKeepHere' };
const KEEP = 'Keep on this device';

/** Presses the button for a ledger of this name; returns the address that it leads to. */
async function keep(name: string, parts: App = signedIn()) {
  const Card = () => <KeepHereCard place={PLACE} name={name} />;
  const { path } = await drawPart(Card, parts);
  // The button doesn't wait for the user.
  await expect.poll(() => parts.queries.isFetching()).toBe(0);
  await press(KEEP);
  await screen.findByRole('heading', { name: 'Elsewhere' });
  const { pathname, searchParams } = new URL(path(), location.origin);
  return { pathname, asked: Object.fromEntries(searchParams) as unknown as Connection };
}

async function connected(localName: string, endpoint: string, remoteName = localName) {
  made.push(localName);
  await freshLocal([], localName);
  const sanitizedRemoteName = remoteName;
  await recordConnection({ localName, remoteName, sanitizedRemoteName, endpoint, firstConnect: false });
}

describe('keeping a database of the cloud on this device', () => {
  test('connects a new local database of the same name, and confirms it for this user', async () => {
    const name = freshName();
    const { pathname, asked } = await keep(name);
    expect(pathname).toBe('/fp/databases/connect');
    expect(asked).toEqual({ localName: name, remoteName: name, endpoint: endpointHere(PLACE) });
    expect(takeConfirmed(asked).email).toBe('ada@example.com');
  });

  test('never uses an existing database of the same name', async () => {
    const name = freshName();
    await freshLocal([{ _id: 'secret' }], name);
    await freshLocal([], `${name}-2`);
    const { asked } = await keep(name);
    expect([asked.localName, asked.remoteName]).toEqual([`${name}-3`, name]);
  });

  test('doesn’t allow the connection to take the name of another database', async () => {
    const name = freshName();
    await freshLocal([], name);
    const { asked } = await keep(name);
    expect(takeConfirmed(asked).shares).toBeUndefined();
  });

  test('opens the database that already syncs with it, whatever its name is', async () => {
    const name = freshName();
    await connected(name, endpointHere(PLACE), 'another');
    expect((await keep('pantry')).pathname).toBe(`/fp/databases/${name}`);
  });

  test.each([
    ['another database of the tenant', endpointHere({ ...PLACE, ledgerId: 'zOther' })],
    ['a database of another tenant', endpointHere({ ...PLACE, tenantId: 'zOther' })],
    ['a database on another server', 'fpcloud://elsewhere/?tenant=zT&ledger=zL'],
    ['no database', ''],
  ])('doesn’t open a database that is connected to %s', async (_what, endpoint) => {
    const name = freshName();
    await connected(name, endpoint);
    expect((await keep(name)).pathname).toBe('/fp/databases/connect');
  });

  test.each([
    ['Team pantry (old)', 'Team_pantry_old_'],
    ['  padded  ', 'padded_'],
    ['../../etc', 'etc'],
    ['constructor', 'constructor'],
    ['__proto__', 'proto_'],
  ])('derives a valid local name from %j', async (name, localName) => {
    const { asked } = await keep(name);
    expect([asked.localName, asked.remoteName]).toEqual([localName, name.trim()]);
  });

  test.each([
    ['sync', 'local-sync'],
    ['fp_sync', 'local-fp_sync'],
    ['cloud-ledger-z1', 'local-cloud-ledger-z1'],
    ['recipes_queries', 'local-recipes_queries-2'],
  ])('avoids the reserved name %j', async (name, localName) => {
    const { asked } = await keep(name);
    expect([asked.localName, asked.remoteName]).toEqual([localName, name]);
    expect(
      connectionFrom(
        new URLSearchParams(Object.entries(asked).map(([field, value]) => [field, String(value)])),
      ),
    ).not.toHaveProperty('error');
  });

  test('confirms nothing for a user who isn’t known', async () => {
    const { asked } = await keep(freshName(), appWith({}));
    expect(takeConfirmed(asked).email).toBeUndefined();
  });

  test('ignores a second press, and says why it failed', async () => {
    await connected(freshName(), '');
    const answer = waiting<never>();
    vi.spyOn(openLocal('fp_sync'), 'allDocs').mockReturnValue(answer.promise);
    await drawPart(() => <KeepHereCard place={PLACE} name="pantry" />, signedIn());
    await press(KEEP);
    expect(isDisabled(KEEP)).toBe(true);
    await answer.come(Promise.reject(new Error('the disk is full')) as never);
    expect((await screen.findByRole('alert')).textContent).toContain(
      'Couldn’t create the local database: the disk is full',
    );
    expect(isDisabled(KEEP)).toBe(false);
  });
});
