import { FixpointError } from '@fixpoint/protocol';
import { act, screen } from '@testing-library/react';
import type { SyncStatus } from 'fixpoint';
import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { appWith, done, signedIn } from '../../cloud/app.fixture.ts';
import type { App } from '../../cloud/app.ts';
import { attachLocal, detachAll } from '../../cloud/ledgers/attached-databases.ts';
import { drawPart } from '../../cloud/part.fixture.tsx';
import { freshLocal, freshName, withEngine } from '../../engine/engine-here.fixture.ts';
import { agreeTo } from '../../local/agreed-endpoints.ts';
import { createLocal, openLocal } from '../../local/databases.ts';
import { endpointHere } from '../../local/endpoint.ts';
import { withPages } from '../../ui/pages.fixture.tsx';
import { attachedWith } from '../keys/attached.fixture.ts';
import { LocalFacts } from './local-facts.tsx';
import { LocalState } from './local-state.tsx';

withPages();
withEngine();
beforeEach(() => localStorage.clear());
afterEach(async () => {
  vi.restoreAllMocks();
  await detachAll();
  localStorage.clear();
});

const PLACE = { tenantId: 'zT', ledgerId: 'zL' };
const api = { listLedgersByUser: () => done([{ ...PLACE, users: [] }] as never) };

interface Given {
  readonly parts?: App;
  readonly endpoint?: string;
  readonly firstConnect?: boolean;
  /** The status of the attached database; undefined if it isn't attached. */
  readonly status?: Partial<SyncStatus>;
}

/** Shows the state of a connected database in the sidebar. */
async function state({
  parts = signedIn({ api }),
  endpoint = endpointHere(PLACE),
  firstConnect = false,
  status,
}: Given = {}) {
  const name = freshName();
  const database = await freshLocal([], name);
  agreeTo(name, endpoint, 'ada@example.com');
  const { attached, become } = attachedWith({
    kind: () => 'open-key',
    detach: async () => undefined,
    first: { ...status },
  });
  vi.spyOn(database, 'attach').mockResolvedValue(attached);
  if (status !== undefined) attachLocal(parts.api, database, PLACE);
  const connection = {
    localName: name,
    remoteName: 'r',
    sanitizedRemoteName: 'r',
    endpoint,
    firstConnect,
  };
  await drawPart(
    () => (
      <p role="note">
        <LocalState name={name} connection={connection} />
      </p>
    ),
    parts,
  );
  return { become };
}
const shown = () => screen.getByRole('note').textContent;

describe('the state of a database in the sidebar', () => {
  test('is "Local only" without a connection', async () => {
    await drawPart(
      () => (
        <p role="note">
          <LocalState name="pantry" connection={undefined} />
        </p>
      ),
      appWith({}),
    );
    expect(shown()).toBe('Local only ');
  });

  test.each<[string, Given]>([
    ['In sync', { status: { state: 'in-sync' } }],
    ['12 to send', { status: { state: 'catching-up', toSend: 12 } }],
    ['3 to fetch', { status: { state: 'catching-up', toFetch: 3 } }],
    ['Local only', { endpoint: '' }],
    ['Signed out: Sign in to sync this database.', { parts: appWith({}) }],
    ['Waiting: Syncs in a moment, or when you open the database.', {}],
  ])('is announced in words: %s', async (words, given) => {
    await state(given);
    await expect.poll(shown).toBe(words);
  });

  test('follows the sync', async () => {
    const { become } = await state({ status: { state: 'catching-up', toSend: 2 } });
    await expect.poll(shown).toBe('2 to send');
    await become({ state: 'in-sync', toSend: 0 });
    expect(shown()).toBe('In sync');
    await become({ state: 'refused', error: new FixpointError('NOT_FOUND') });
    expect(shown()).toMatch(/^Refused: You don’t have access to this database in the cloud/);
  });

  test('shows the progress of a first sync', async () => {
    const status = { state: 'catching-up', toSend: 8 } as const;
    const { become } = await state({ firstConnect: true, status });
    await expect.poll(shown).toBe('0%: 8 to send.');
    await become({ toSend: 3 });
    expect(shown()).toBe('62%: 3 to send.');
    await become({ state: 'in-sync', toSend: 0 });
    expect(shown()).toBe('In sync');
  });

  test('names another server, at which the user hasn’t allowed the connection', async () => {
    await state({ endpoint: 'fpcloud://evil.example/?tenant=zT&ledger=zL' });
    await expect.poll(shown).toMatch(/^Not connected: Open the database to connect it at evil\.example\./);
  });
});

describe('the facts about a database that would be sent', () => {
  const facts = (name: string) => drawPart(() => <LocalFacts name={name} />, appWith({}));
  const text = () => screen.queryAllByRole('status').map(({ textContent }) => textContent);

  test.each([
    [0, '0 documents'],
    [1, '1 document'],
    [1200, '1,200 documents'],
  ])('counts %i documents', async (count, words) => {
    const name = freshName();
    const docs = Array.from({ length: count }, (_, at) => ({ _id: `d-${at}` }));
    await freshLocal(docs, name);
    await facts(` ${name} `);
    await expect.poll(text).toEqual([words]);
  });

  test('says that a name without a database creates one, without creating it', async () => {
    const name = freshName();
    await facts(name);
    await expect.poll(text).toEqual(['A new, empty database.']);
    expect((await indexedDB.databases()).map((one) => one.name)).not.toContain(`fp.${name}`);
  });

  test('changes when the database is created', async () => {
    const name = freshName();
    await facts(name);
    await expect.poll(text).toEqual(['A new, empty database.']);
    await act(async () => void (await createLocal(name)));
    await expect.poll(text).toEqual(['0 documents']);
  });

  test.each(['', '  '])('shows nothing for the name %j', async (name) => {
    await facts(name);
    expect(text()).toEqual([]);
  });

  test('says that counting failed, and counts another database', async () => {
    const [name, other] = [freshName(), freshName()];
    await freshLocal([], name);
    await freshLocal([{ _id: 'milk' }], other);
    vi.spyOn(openLocal(name).rows, 'count').mockRejectedValue(new Error('closed'));
    let choose: (name: string) => void = () => undefined;
    function Both() {
      const [chosen, set] = useState(name);
      choose = set;
      return <LocalFacts name={chosen} />;
    }
    await drawPart(() => <Both />, appWith({}));
    await expect.poll(text).toEqual(['Couldn’t count the documents.']);
    await act(async () => choose(other));
    await expect.poll(text).toEqual(['1 document']);
  });

  test('says that it counts until the number is known', async () => {
    const name = freshName();
    await freshLocal([], name);
    vi.spyOn(openLocal(name).rows, 'count').mockReturnValue(new Promise(() => undefined));
    await facts(name);
    await expect.poll(text).toEqual(['Counting documents...']);
  });
});
