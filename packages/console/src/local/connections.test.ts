import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixpoint } from 'fixpoint';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { HOSTILE_NAMES } from '../values/hostile-names.fixture.ts';
import {
  type Connection,
  connectionFrom,
  connectionNamed,
  connectionOf,
  connectionsIn,
  forgetIn,
  markSynced,
  recordIn,
  sharedBy,
} from './connections.ts';

function syncDatabase() {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-'));
  const database = fixpoint('fp_sync', { directory });
  onTestFinished(async () => {
    await database.close();
    rmSync(directory, { recursive: true });
  });
  return database;
}

const asked = (text: string) => connectionFrom(new URLSearchParams(text)) as Connection;

test('requires a local name for a connection', () => {
  expect(connectionFrom(new URLSearchParams('remoteName=r'))).toEqual({ error: 'Local name is required' });
  expect(connectionFrom(new URLSearchParams('localName=%20'))).toEqual({ error: 'Local name is required' });
});

test('stores the remote name of a connection in the form that paths use', () => {
  expect(asked('localName=notes&remoteName=@acme/notes&endpoint=fpcloud://h')).toEqual({
    remoteName: '@acme/notes',
    sanitizedRemoteName: 'acme_notes',
    localName: 'notes',
    endpoint: 'fpcloud://h',
    firstConnect: true,
  });
  expect(asked('localName=my-notes').sanitizedRemoteName).toBe('my_notes');
  expect(asked('localName=notes&remoteName=---').sanitizedRemoteName).toBe('notes');
});

test('records a connection once, updates its endpoint, and finds it by either name', async () => {
  const sync = syncDatabase();
  await recordIn(sync, asked('localName=notes&remoteName=acme/notes&endpoint=fpcloud://a'));
  await recordIn(sync, asked('localName=notes&remoteName=acme/notes'));
  await recordIn(sync, asked('localName=notes&remoteName=acme/notes&endpoint=fpcloud://b'));
  const connections = await connectionsIn(sync);
  expect(connections.map(({ endpoint, firstConnect }) => [endpoint, firstConnect])).toEqual([
    ['fpcloud://b', true],
  ]);
  expect(connectionNamed(connections, 'acme_notes')).toMatchObject({ localName: 'notes' });
  expect(connectionOf(connections, 'notes')).toMatchObject({ remoteName: 'acme/notes' });
  expect(connectionNamed(connections, 'notes')).toBeUndefined();
});

test('rejects endpoints that are malformed, and names that Fixpoint reserves', () => {
  const problem = (text: string) => connectionFrom(new URLSearchParams(text));
  expect(problem('localName=notes&endpoint=nonsense')).toEqual({
    error: expect.stringContaining('"nonsense"'),
  });
  expect(problem('localName=fp_sync')).toEqual({ error: expect.stringContaining('reserves this name') });
});

describe('a connection to a ledger', () => {
  const at = (ledger: string) =>
    `localName=notes&endpoint=${encodeURIComponent(`fpcloud://cloud.example/?tenant=zT&ledger=${ledger}`)}`;
  beforeEach(() => void vi.stubGlobal('location', { host: 'cloud.example', protocol: 'https:' }));

  test('is due for a first sync until that is done, and again with another ledger', async () => {
    const sync = syncDatabase();
    await recordIn(sync, asked(at('one')));
    const first = async () => (await connectionsIn(sync)).map(({ firstConnect }) => firstConnect);
    expect([await markSynced(sync, asked(at('two'))), await first()]).toEqual([false, [true]]);
    expect([await markSynced(sync, asked(at('one'))), await first()]).toEqual([true, [false]]);
    expect(await markSynced(sync, asked(at('one')))).toBe(false);
    await recordIn(sync, asked(at('one')));
    expect(await first()).toEqual([false]);
    await recordIn(sync, asked(at('two')));
    expect(await first()).toEqual([true]);
  });

  test('replaces the one to another ledger, and comes before names without a ledger', async () => {
    const sync = syncDatabase();
    await recordIn(sync, asked(`${at('one')}&remoteName=first`));
    await recordIn(sync, asked(`${at('two')}&remoteName=second`));
    await recordIn(sync, asked('localName=notes&remoteName=third'));
    const connections = await connectionsIn(sync);
    expect(connections.map(({ remoteName }) => remoteName).sort()).toEqual(['second', 'third']);
    expect(connectionOf(connections, 'notes')?.remoteName).toBe('second');
  });

  test('warns before it replaces another one', () => {
    const before = [asked(`${at('one')}&remoteName=first`)];
    expect(sharedBy(asked(at('two')), before, ['notes'])).toMatch(/^"notes" already syncs with "first"/);
    expect(sharedBy(asked(`${at('one')}&remoteName=first`), before, ['notes'])).toBeUndefined();
  });
});

describe('the records of connections', () => {
  const at = (ledger: string) =>
    `endpoint=${encodeURIComponent(`fpcloud://cloud.example/?tenant=zT&ledger=${ledger}`)}`;
  beforeEach(() => void vi.stubGlobal('location', { host: 'cloud.example', protocol: 'https:' }));
  const namesIn = async (sync: ReturnType<typeof syncDatabase>) =>
    (await connectionsIn(sync)).map(({ remoteName }) => remoteName).sort();

  test('leaves out records that aren’t connections', async () => {
    const sync = syncDatabase();
    await sync.put({ unrelated: true });
    await sync.put({ localName: 'notes', remoteName: 7, sanitizedRemoteName: 'x', endpoint: '' });
    await sync.put({ localName: 'notes', remoteName: 'half' });
    await recordIn(sync, asked(`localName=notes&remoteName=real&${at('one')}`));
    expect(await namesIn(sync)).toEqual(['real']);
    expect(await markSynced(sync, asked(`localName=notes&${at('one')}`))).toBe(true);
    await forgetIn(sync, 'notes');
    expect((await sync.allDocs()).rows).toHaveLength(3);
  });

  test('keeps an endpoint when the same names are connected without one', async () => {
    const sync = syncDatabase();
    await recordIn(sync, asked(`localName=notes&remoteName=team&${at('one')}`));
    await markSynced(sync, asked(`localName=notes&${at('one')}`));
    await recordIn(sync, asked('localName=notes&remoteName=team'));
    expect(await connectionsIn(sync)).toMatchObject([
      { endpoint: expect.stringContaining('ledger=one'), firstConnect: false },
    ]);
  });

  test('keeps connections of other databases, and those without a ledger, when one is replaced', async () => {
    const sync = syncDatabase();
    await recordIn(sync, asked(`localName=notes&remoteName=first&${at('one')}`));
    await recordIn(sync, asked(`localName=other&remoteName=others&${at('one')}`));
    await recordIn(sync, asked('localName=notes&remoteName=plain'));
    await recordIn(sync, asked('localName=notes&remoteName=away&endpoint=fpcloud://away'));
    await recordIn(sync, asked(`localName=notes&remoteName=second&${at('two')}`));
    expect(await namesIn(sync)).toEqual(['away', 'others', 'plain', 'second']);
  });

  test('replaces the connection of another spelling of the same database', async () => {
    const sync = syncDatabase();
    await recordIn(sync, asked(`localName=my notes&remoteName=first&${at('one')}`));
    await recordIn(sync, asked(`localName=my_notes&remoteName=second&${at('two')}`));
    expect(await namesIn(sync)).toEqual(['second']);
  });

  test('marks all names of one connection as synced, and no other database', async () => {
    const sync = syncDatabase();
    await recordIn(sync, asked(`localName=notes&remoteName=a&${at('one')}`));
    await recordIn(sync, asked(`localName=notes&remoteName=b&${at('one')}`));
    await recordIn(sync, asked(`localName=other&remoteName=c&${at('one')}`));
    await markSynced(sync, asked(`localName=notes&${at('one')}`));
    const due = (await connectionsIn(sync)).filter(({ firstConnect }) => firstConnect);
    expect(due.map(({ remoteName }) => remoteName)).toEqual(['c']);
  });

  test('forgets them by any spelling of the database’s name', async () => {
    const sync = syncDatabase();
    await recordIn(sync, asked('localName=my notes&remoteName=one'));
    await forgetIn(sync, 'my_notes');
    expect(await connectionsIn(sync)).toEqual([]);
  });

  test.each(HOSTILE_NAMES.filter((name) => name.trim() !== '' && name.length < 1000))(
    'finds them again for the name %j',
    async (name) => {
      const sync = syncDatabase();
      const connection = asked(`${new URLSearchParams({ localName: name, remoteName: name })}&${at('one')}`);
      await recordIn(sync, connection);
      await recordIn(sync, connection);
      const connections = await connectionsIn(sync);
      expect(connections).toHaveLength(1);
      expect(connectionOf(connections, name)?.remoteName).toBe(name);
      expect(connectionNamed(connections, connection.sanitizedRemoteName)?.localName).toBe(name);
      expect(connectionOf(connections, 'missing')).toBeUndefined();
      await forgetIn(sync, name);
      expect(await connectionsIn(sync)).toEqual([]);
    },
  );
});

test('forgets the connections of a removed database, and keeps all other connections', async () => {
  const sync = syncDatabase();
  await recordIn(sync, asked('localName=notes&remoteName=one'));
  await recordIn(sync, asked('localName=other&remoteName=two'));
  await sync.put({ unrelated: true });
  await forgetIn(sync, 'notes');
  expect((await connectionsIn(sync)).map(({ remoteName }) => remoteName)).toEqual(['two']);
});

describe('a new connection', () => {
  const known = [asked('localName=日本&remoteName=日本'), asked('localName=notes&remoteName=acme/notes')];
  const shared = (text: string, existing: readonly string[] = ['_', 'notes', 'other']) =>
    sharedBy(asked(text), known, existing);

  test('warns about names that would lose all their letters in paths', () => {
    expect([known[0]?.sanitizedRemoteName, asked('localName=データ').sanitizedRemoteName]).toEqual([
      '_',
      '_',
    ]);
    expect(shared('localName=データ')).toMatch(/"データ" and "日本" are the same database, "_"/);
    expect(shared('localName=other&remoteName=データ')).toBeUndefined();
    expect(sharedBy(asked('localName=データ'), [], ['_'])).toMatch(/a database of that name already exists/);
    expect(sharedBy(asked('localName=データ'), [], [])).toBeUndefined();
  });

  test('warns about an address that already opens another database', () => {
    expect(shared('localName=other&remoteName=acme notes')).toMatch(
      /^\/fp\/databases\/acme_notes already opens "acme\/notes" of the local database "notes"/,
    );
    expect(shared('localName=other&remoteName=acme/notes')).toMatch(/opens "acme\/notes"/);
    expect(shared('localName=other&remoteName=notes')).toBe(
      '/fp/databases/notes opens the local database "notes". If you connect, this address opens "other", and /fp/databases/~notes opens "notes".',
    );
    // A user is warned only once.
    expect(
      sharedBy(
        asked('localName=other&remoteName=notes'),
        [asked('localName=other&remoteName=notes')],
        ['notes'],
      ),
    ).toBeUndefined();
  });

  test('warns that a database syncs with one ledger at a time, only if it would change the ledger', () => {
    vi.stubGlobal('location', { host: 'cloud.example', protocol: 'https:' });
    const at = (place: string) => `&endpoint=${encodeURIComponent(`fpcloud://cloud.example/?${place}`)}`;
    const before = [asked(`localName=notes&remoteName=team${at('tenant=zT&ledger=zL')}`)];
    const warned = (text: string) => sharedBy(asked(`localName=notes&${text}`), before, ['notes']);
    expect(warned(`remoteName=next${at('tenant=zT&ledger=zM')}`)).toBe(
      '"notes" already syncs with "team", and a local database syncs with one database at a time. If you connect, it syncs with "next" instead.',
    );
    expect(warned(`remoteName=next${at('tenant=zU&ledger=zL')}`)).toMatch(/^"notes" already syncs/);
    expect(warned(`remoteName=next${at('tenant=zT&ledger=zL')}`)).toBeUndefined();
    expect(warned('remoteName=next')).toBeUndefined();
    expect(warned('remoteName=next&endpoint=fpcloud://elsewhere')).toBeUndefined();
  });

  test('warns that a link to another server would end the sync with a ledger', () => {
    vi.stubGlobal('location', { host: 'cloud.example', protocol: 'https:' });
    const ledger = '?tenant=zT%26ledger=zL';
    const warned = (before: string, next: string) =>
      sharedBy(
        asked(`localName=notes&${next}`),
        [asked(`localName=notes&remoteName=team&${before}`)],
        ['notes'],
      );
    const here = `endpoint=fpcloud://cloud.example/${ledger}`;
    const there = `endpoint=fpcloud://other.example/${ledger}`;
    expect(warned(here, `remoteName=next&${there}`)).toMatch(
      /it syncs with "next" at other\.example instead\.$/,
    );
    expect(warned(here, 'remoteName=team&endpoint=https://other.example')).toMatch(/^"notes" already syncs/);
    expect(warned(there, `remoteName=next&${here}`)).toMatch(/already syncs with "team" at other\.example/);
    expect(warned(there, `remoteName=next&${there}`)).toBeUndefined();
  });

  test('finds the connection to this server before a later one to another server', () => {
    vi.stubGlobal('location', { host: 'cloud.example', protocol: 'https:' });
    const at = (host: string) => asked(`localName=a&endpoint=fpcloud://${host}/?tenant=zT%26ledger=zL`);
    const [own, other] = [at('cloud.example'), at('other.example')];
    expect(connectionOf([own, other], 'a')).toBe(own);
    expect(connectionOf([asked('localName=a'), other, asked('localName=a')], 'a')).toBe(other);
  });

  test('warns about a spelling that opens a database of another spelling', () => {
    const before = [asked('localName=my notes')];
    expect(sharedBy(asked('localName=my_notes'), before, ['my_notes'])).toBe(
      'In this browser "my_notes" and "my notes" are the same database, "my_notes": only letters, digits, - and _ of a name are kept. Both would show the same documents.',
    );
    expect(sharedBy(asked('localName=my notes'), before, ['my_notes'])).toBeUndefined();
  });

  test('does not warn about a known connection, or about an address that opens no other database', () => {
    expect(shared('localName=日本&remoteName=日本')).toBeUndefined();
    expect(shared('localName=notes&remoteName=acme notes')).toBeUndefined();
    expect(shared('localName=other&remoteName=free')).toBeUndefined();
    expect(shared('localName=other')).toBeUndefined();
  });
});
