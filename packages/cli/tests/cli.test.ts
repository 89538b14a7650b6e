import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fixpoint, toCloud } from 'fixpoint';
import { exportDatabase, fireproof } from 'fixpoint/fireproof';
import { decodeJwt } from 'jose';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openTables } from '../../cloud/src/tables/open-tables.ts';
import { newLedger, testCloud } from '../../cloud/tests/cloud.fixture.ts';
import { newPerson, type PersonOnline, personAgain } from '../../cloud/tests/person.fixture.ts';
import { type Io, main } from '../src/main.ts';

const KEPT_ELSEWHERE = {
  exit: 1,
  code: 'REQUEST_INVALID',
  message: expect.stringContaining(
    'the sign-in provider keeps passkeys and second factors of ada@example.com',
  ),
};

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Nobody listens at this address. */
const NOBODY = 'http://127.0.0.1:1';
const UNREACHABLE = expect.stringMatching(
  /^fixpoint: couldn't reach the server http:\/\/127\.0\.0\.1:1 \(\S.*\): check that it runs/,
);

/** Runs commands with a separate environment and home folder. */
async function newShell(
  env: Record<string, string> = {},
  sleep: (ms: number) => Promise<void> = async () => {},
) {
  const home = await newFolder();
  const [out, notes]: [string[], string[]] = [[], []];
  const io: Io = {
    env: { HOME: home, FIXPOINT_DIR: join(home, 'databases'), ...env },
    fetch,
    out: (line) => void out.push(line),
    note: (line) => void notes.push(line),
    input: async function* () {},
    sleep,
    ended: Promise.resolve(),
  };
  const run = async (...argv: string[]) => {
    out.length = 0;
    notes.length = 0;
    const code = await main(argv, io);
    return { code, out: [...out], notes: [...notes], text: out.join('\n') };
  };
  const json = async (...argv: string[]) => {
    const { code, text, notes: told } = await run(...argv, '--json');
    expect(code, told.join('\n')).toBe(0);
    return JSON.parse(text);
  };
  return { home, notes, run, json };
}

/** Returns a server, a person who signed up there, and a shell that they signed in with a code. */
async function signedIn() {
  const { url, ...cloud } = await testCloud();
  const ada = await newPerson(url);
  const shell = await newShell({ FIXPOINT_URL: url }, () => approve(ada, shell.notes));
  const { code, text } = await shell.run('login', '--name', 'laptop');
  expect(code).toBe(0);
  expect(text).toBe(`Signed in to ${url}.`);
  return { url, cloud, ada, ...shell };
}

async function approve(person: PersonOnline, notes: readonly string[]): Promise<void> {
  const [userCode] = /[A-Z]{4}-[A-Z]{4}/.exec(notes.join('\n')) ?? [];
  await person.ask('reqDecideLogin', { userCode, approve: true });
}

describe('fixpoint, signed in with a code', () => {
  test('saves the token in a file that only this user can read, and lists the device', async () => {
    const { ada, home } = await signedIn();
    const file = join(home, '.config', 'fixpoint', 'credentials.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await ada.ask('reqListApiTokens')).apiTokens).toMatchObject([{ name: 'laptop' }]);
  });

  test('manages tenants and databases, and prints cloud tokens', async () => {
    const { json, run, cloud } = await signedIn();
    const { tenant } = await json('tenants', 'create', 'Acme');
    const { tenantId } = tenant;
    expect((await run('tenants')).text).toBe(`${tenantId}  admin  Acme`);
    await run('tenants', 'rename', tenantId, 'Acme & Co');
    expect((await json('tenants')).tenants[0].tenant.name).toBe('Acme & Co');
    const { text: ledgerId } = await run('ledgers', 'create', 'notes', '--tenant', tenantId);
    expect((await run('ledgers', '--tenant', tenantId)).text).toBe(`${ledgerId}  ${tenantId}  notes`);
    expect((await run('ledgers', 'rename', ledgerId, 'papers')).code).toBe(0);
    const { text: token } = await run('token', '--tenant', tenantId, '--ledger', ledgerId);
    expect(await cloud.tokens.verify(token)).toMatchObject({
      selected: { tenant: tenantId, ledger: ledgerId },
    });
    expect(decodeJwt((await json('token', '--ledger', ledgerId)).token)).toMatchObject({ iss: 'FP_CLOUD' });
    expect(await run('ledgers', 'delete', ledgerId)).toMatchObject({ code: 2 });
    expect(await run('ledgers', 'delete', ledgerId, '--yes')).toMatchObject({ code: 0 });
    expect(await run('tenants', 'delete', tenantId, '--yes')).toMatchObject({ code: 0 });
    expect((await json('tenants')).tenants).toEqual([]);
  });

  test('creates, lists and revokes invites', async () => {
    const { json, run } = await signedIn();
    const { tenant } = await json('tenants', 'create', 'Acme');
    const { ledger } = await json('ledgers', 'create', 'notes', '--tenant', tenant.tenantId);
    const toTenant = await json('invite', 'bob@example.com', '--tenant', tenant.tenantId, '--role', 'admin');
    expect(toTenant.invite.invitedParams).toEqual({ tenant: { id: tenant.tenantId, role: 'admin' } });
    const toLedger = await json('invite', 'bob@example.com', '--ledger', ledger.ledgerId, '--right', 'write');
    expect(toLedger.invite.invitedParams.ledger).toMatchObject({ right: 'write' });
    expect((await run('invite', 'revoke', toTenant.invite.inviteId)).code).toBe(0);
    expect((await run('invite', 'list')).out.map((line) => line.split('  ')[1]).sort()).toEqual([
      'pending',
      'revoked',
    ]);
    expect(await run('invite', 'bob@example.com')).toMatchObject({ code: 2 });
    const wrongGift = (...options: string[]) => run('invite', 'eve@example.com', ...options);
    expect(await wrongGift('--tenant', tenant.tenantId, '--right', 'write')).toMatchObject({
      code: 2,
      notes: ['fixpoint: --right needs --ledger', 'See fixpoint invite --help.'],
    });
    expect(await wrongGift('--ledger', ledger.ledgerId, '--role', 'admin')).toMatchObject({ code: 2 });
    expect((await json('invite', 'list')).invites).toHaveLength(2);
    expect(await run('invite', 'bob@example.com', '--tenant', 'x', '--role', 'owner')).toMatchObject({
      code: 2,
    });
  });

  test('reports how to sign in again after the token was revoked', async () => {
    const { run, json } = await signedIn();
    const { apiTokens } = await json('token', 'list');
    expect((await run('token', 'revoke', apiTokens[0].tokenId)).code).toBe(0);
    const { code, notes } = await run('tenants');
    expect(code).toBe(1);
    expect(notes).toEqual(['fixpoint: not signed in: sign in with `fixpoint login`, or set FIXPOINT_TOKEN']);
  });
});

describe('fixpoint, on wrong usage or failure', () => {
  test('reports a problem in one line, and exits with 1 or 2', async () => {
    const { run } = await newShell({ FIXPOINT_URL: NOBODY });
    expect(await run()).toMatchObject({ code: 2 });
    expect(await run('help')).toMatchObject({ code: 0, notes: [] });
    expect(await run('nothing')).toMatchObject({
      code: 2,
      notes: [expect.stringContaining('there is no command nothing')],
    });
    expect(await run('constructor')).toMatchObject({ code: 2 });
    expect(await run('tenants', '--wrong')).toMatchObject({
      code: 2,
      notes: [expect.stringContaining('--wrong'), 'See fixpoint tenants --help.'],
    });
    expect(await run('tenants')).toMatchObject({
      code: 1,
      notes: [expect.stringContaining('fixpoint login')],
    });
    expect(await run('login')).toMatchObject({ code: 1, notes: [UNREACHABLE] });
    expect(await run('login', '--url', 'ftp://x')).toMatchObject({ code: 1 });
    expect(await run('help', 'nothing')).toMatchObject({ code: 2 });
    expect((await run('help', 'token')).text).toBe((await run('token', '--help')).text);
    expect(await run('serve', '--port', 'abc')).toMatchObject({
      code: 1,
      notes: [expect.stringContaining('PORT=abc')],
    });
    const { notes } = await run('verify', 'notes', '--json');
    expect(JSON.parse(notes[0] ?? '')).toMatchObject({ code: 'NOT_FOUND', message: expect.any(String) });
  });

  test.each([
    ['tenants', 'create', 'Acme', 'Inc'],
    ['tenants', 'list', 'Acme'],
    ['ledgers', 'rename', 'l1', 'old', 'notes'],
    ['ledgers', 'delete', 'l1', 'l2', '--yes'],
    ['invite', 'a@example.com', 'b@example.com', '--tenant', 't1'],
    ['token', 'revoke', 't1', 't2'],
    ['token', 'Acme'],
    ['export', 'a', 'b'],
    ['serve', '7370'],
    ['api', 'a', 'b'],
    ['mcp', 'a', 'b'],
    ['waitlist', 'list', 'a@example.com'],
    ['backup', '/mnt/backups'],
    ['restore', '/mnt/backups'],
    ['check', '/mnt/backups'],
  ])('rejects the unexpected argument of %s %s', async (...argv) => {
    const { run } = await newShell({ FIXPOINT_URL: NOBODY });
    expect(await run(...argv)).toMatchObject({
      code: 2,
      out: [],
      notes: [expect.stringContaining('unexpected argument'), `See fixpoint ${argv[0]} --help.`],
    });
  });

  test.each([
    'serve',
    'api',
    'mcp',
    'login',
    'token',
    'tenants',
    'ledgers',
    'invite',
    'export',
    'import',
    'find',
    'history',
    'verify',
    'migrate',
    'waitlist',
    'users',
    'operators',
    'operate',
    'backup',
    'restore',
    'check',
    'check-console',
  ])('prints the usage of %s with --help, and does nothing else', async (name) => {
    const { run } = await newShell();
    const { code, text } = await run(name, '--help');
    expect(code).toBe(0);
    expect(text).toContain(`  fixpoint ${name}`);
    expect(text).toContain('--json');
  });

  test('finds documents by conditions and words, and uses the indexes that an application declared', async () => {
    const { home, run, json } = await newShell();
    const indexes = ['rank', { text: ['title'] }];
    const db = fixpoint('notes', { directory: join(home, 'databases'), indexes });
    await db.bulk([
      { _id: 'a', title: 'Buy milk', rank: 3 },
      { _id: 'b', title: 'Buy bread', rank: 1 },
      { _id: 'c', title: 'Sleep', rank: 2 },
    ]);
    await db.find({ search: 'buy', sort: { rank: 'asc' } });
    await db.close();
    const above1 = ['--where', '{"rank":{"gt":1}}', '--sort', 'rank desc, title'];
    const idsOf = (out: readonly string[]) => out.map((line) => JSON.parse(line)._id);
    expect(idsOf((await run('find', 'notes', ...above1)).out)).toEqual(['a', 'c']);
    expect(idsOf((await run('find', 'notes', '--search', 'buy mi')).out)).toEqual(['a']);
    expect((await run('find', 'notes', '--where', '{"rank":{"lt":3}}', '--count')).out).toEqual(['2']);
    const groups = await json(
      'find',
      'notes',
      '--group-by',
      'rank',
      '--max',
      'title',
      '--where',
      '{"rank":{"lt":3}}',
    );
    expect(groups).toMatchObject({
      groups: [
        { key: { rank: 1 }, count: 1, max: { title: 'Buy bread' } },
        { key: { rank: 2 }, count: 1 },
      ],
    });
    expect(await json('find', 'notes', ...above1, '--explain')).toMatchObject({ indexes: [['rank']] });
    const page = await run('find', 'notes', '--sort', 'rank', '--limit', '2');
    expect(idsOf(page.out)).toEqual(['b', 'c']);
    const [, next = ''] =
      /^There are more documents. Continue with --after '(.*)'$/.exec(page.notes[0] ?? '') ?? [];
    expect(idsOf((await run('find', 'notes', '--sort', 'rank', '--after', next)).out)).toEqual(['a']);
    expect(await json('find', 'notes', '--sort', 'rank', '--limit', '2')).toMatchObject({ next });
    const referring = fixpoint('notes', { directory: join(home, 'databases') });
    await referring.put({ _id: 'z', list: 'a' });
    await referring.put({ _id: 'lists/a', of: 'b' });
    await referring.close();
    const referred = ['--where', '{"_id":"z"}', '--with', '{"list":{"prefix":"lists/","with":{"of":""}}}'];
    expect(idsOf((await run('find', 'notes', ...referred)).out)).toEqual(['z', 'b', 'lists/a']);
    expect(await json('find', 'notes', ...referred)).toMatchObject({
      refs: [{ _id: 'b' }, { _id: 'lists/a' }],
    });
    const hostile = fixpoint('notes', { directory: join(home, 'databases') });
    await hostile.bulk([], { del: ['z', 'lists/a'] });
    await hostile.put({ _id: "a'; echo x", title: 'Hostile', rank: 0 });
    await hostile.close();
    const { notes } = await run('find', 'notes', '--sort', 'rank', '--limit', '1');
    expect(notes[0]).toContain(String.raw`a'\''; echo x`);
    for (const wrong of [
      ['--where', '{'],
      ['--limit', '0'],
      ['--with', '{'],
      ['--count', '--search', 'x'],
      ['--group-by', 'rank', '--search', 'x'],
    ])
      expect(await run('find', 'notes', ...wrong)).toMatchObject({ code: 2, out: [] });
    expect(await run('find', 'notes', '--where', '{"rank":{"above":1}}')).toMatchObject({ code: 1, out: [] });
    expect(await run('find', 'other')).toMatchObject({ code: 1 });
  });

  test('lists the events of a database and the versions of a document, with time and device', async () => {
    const { home, run, json } = await newShell();
    const db = fixpoint('notes', { directory: join(home, 'databases'), commitEachWrite: true });
    await db.bulk(['a', 'b', 'c', 'd'].map((_id) => ({ _id })));
    await db.put({ _id: 'a', n: 1 });
    await db.del('a');
    await db.close();
    const { out } = await run('history', 'notes');
    expect(out).toHaveLength(4);
    const line = (rest: string) => new RegExp(`^20[-\\dT:.]+Z  this device {7}\\w{8}  ${rest}$`);
    expect(out[0]).toMatch(line('1 written, 1 deleted: "a"'));
    expect(out[2]).toMatch(line('4 written: "a", "b", "c", ...'));
    expect(out[3]).toMatch(/^unknown time {14}unknown device {4}\w{8} {2}0 written$/);
    const versions = await run('history', 'notes', 'a', '--limit', '2');
    expect(versions.out[0]).toMatch(line('deleted'));
    expect(versions.out[1]).toMatch(line('\\{"n":1,"_id":"a"\\}'));
    expect(versions.out).toHaveLength(2);
    const [newest] = (await json('history', 'notes', 'a')).versions;
    expect(newest).toMatchObject({
      time: expect.any(Number),
      device: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect((await run('history', 'notes', 'z')).out).toEqual(['There are no versions of z.']);
    expect((await run('history', 'notes', '--conflicts')).out).toEqual(['There are no conflicts.']);
    expect(await json('history', 'notes', '--conflicts')).toMatchObject({ conflicts: [] });
    expect(await run('history', 'notes', 'a', '--conflicts')).toMatchObject({ code: 2 });
    for (const limit of ['0', '-1', 'x', '1.5'])
      expect(await run('history', 'notes', '--limit', limit)).toMatchObject({ code: 2 });
    expect(await run('history', 'other')).toMatchObject({ code: 1 });
  });

  test('says when and from whom the gateway received events without an author', async () => {
    const { home, run } = await newShell();
    const cloud = await testCloud();
    const { tenant, ledger, token, userId } = await newLedger(cloud);
    const db = fixpoint('notes', { directory: join(home, 'databases'), stamps: false });
    await db.put({ _id: 'a', n: 1 });
    const attached = await db.attach(toCloud({ base: cloud.url, tenant, ledger, token }));
    await attached.synced();
    await expect.poll(async () => (await db.history('a'))[0]?.received).toBeDefined();
    await attached.detach();
    await db.close();
    const { out } = await run('history', 'notes', 'a');
    const received = `unsigned, received by the gateway at 20[-\\dT:.]+Z from account ${userId}`;
    expect(out[0]).toMatch(new RegExp(`^unknown time {14}unknown device {4}${received}  \\w{8}  {"n":1`));
    expect((await run('verify', 'notes')).out).toContainEqual(
      expect.stringMatching(new RegExp(`^${received}: \\d events$`)),
    );
  });

  test('lists members, devices, ignored entries and the safety number of a database', async () => {
    const { url, ada, home, run, json } = await signedIn();
    const { tenantId } = (await json('tenants', 'create', 'Acme')).tenant;
    const { text: ledger } = await run('ledgers', 'create', 'notes', '--tenant', tenantId);
    // API tokens may not start a list.
    const { token } = await ada.ask('reqCloudSessionToken', { selected: { tenant: tenantId, ledger } });
    const list = ['members', 'notes', '--ledger', ledger];
    const directory = join(home, 'databases');
    const db = fixpoint('notes', { directory });
    await db.put({ _id: 'a' });
    const place = { base: url, tenant: tenantId, ledger, token, kind: 'sealed' } as const;
    const attached = await db.attach(toCloud(place));
    await attached.synced();
    await attached.detach();
    await db.close();
    const without = await run(...list);
    expect(without.out).toEqual([
      expect.stringMatching(/^device {2}[0-9a-f]{16} {2}of \S+ {2}since 20\S+Z {2}this device$/),
      'This database has no signed list of members: the server says who is a member.',
    ]);

    const again = fixpoint('notes', { directory });
    const { devices, detach } = await again.attach(toCloud(place));
    await devices.startLog({ name: 'Ada', code: await devices.newLogCode() });
    const number = (await devices.keyring())?.log?.safetyNumber;
    await detach();
    await again.close();
    const { code, out } = await run(...list);
    expect([code, out]).toEqual([
      0,
      [
        expect.stringMatching(/^member {2}Ada {2}admin {2}started the list {2}user \S+ {2}you$/),
        expect.stringMatching(/^safety number: \d{5}( \d{5}){11}$/),
        expect.stringMatching(/^recovery code {2}[0-9a-f]{16} {2}of Ada {2}since \S+$/),
        expect.stringMatching(/^device {2}[0-9a-f]{16} {2}of Ada {2}since \S+ {2}this device$/),
      ],
    ]);
    expect((await json(...list)).log).toMatchObject({ safetyNumber: number, forks: [], ignored: [] });
    expect(await run('members', 'notes')).toMatchObject({ code: 2 });
    expect(await run('members', 'other', '--ledger', ledger)).toMatchObject({ code: 1 });

    const second = { directory: join(home, 'second') };
    const copy = fixpoint('notes', second);
    await copy.put({ _id: 'b' });
    await copy.close();
    const { notes } = await run(...list, '--directory', second.directory);
    expect(notes.join()).toMatch(/approve this device in the console: its code is \S+/);
  });

  test('reports a server that can’t be reached, instead of waiting for it', async () => {
    const { home, run } = await newShell({ FIXPOINT_URL: NOBODY, FIXPOINT_TOKEN: 'token' });
    const db = fixpoint('notes', { directory: join(home, 'databases') });
    await db.put({ _id: 'a' });
    await db.close();
    for (const command of [
      ['tenants'],
      ['ledgers', 'create', 'notes', '--tenant', 't'],
      ['invite', 'list'],
      ['token', 'list'],
      ['token', '--tenant', 't', '--ledger', 'l'],
      ['members', 'notes', '--ledger', 'l'],
      ['members', 'notes', '--ledger', 'l', '--tenant', 't'],
      ['check-console', NOBODY],
    ])
      expect([command, await run(...command)]).toMatchObject([command, { code: 1, notes: [UNREACHABLE] }]);
  });

  test('reports a code that the user rejected', async () => {
    const { url } = await testCloud();
    const ada = await newPerson(url);
    const { run, notes } = await newShell({ FIXPOINT_URL: url }, async () => {
      const [userCode] = /[A-Z]{4}-[A-Z]{4}/.exec(notes.join('\n')) ?? [];
      await ada.ask('reqDecideLogin', { userCode, approve: false });
    });
    expect(await run('login')).toMatchObject({ code: 1, out: [] });
    expect(notes.at(-1)).toBe('fixpoint: not signed in: you rejected the code in the console');
  });
});

describe('fixpoint, with local databases', () => {
  test('exports a database with files, imports the documents into another folder, and verifies both databases', async () => {
    const { home, run, json } = await newShell();
    const db = fixpoint('notes', { directory: join(home, 'databases') });
    const documents = Array.from({ length: 1203 }, (_, index) => ({ _id: `d${index}`, index }));
    await db.bulk(documents);
    await db.put({ _id: '~ "quoted"', 'é\n': { deep: [null, 1.5] } });
    await db.put({ _id: 'trip', _files: { cover: new File(['picture'], 'cover', { type: 'image/png' }) } });
    await db.del('d7');
    await db.close();
    const file = join(home, 'notes.ndjson');
    expect(await json('export', 'notes', '--to', file)).toMatchObject({ documents: 1204 });
    expect(await run('export', 'notes', '--to', file)).toMatchObject({
      code: 1,
      notes: [`fixpoint: conflict: ${file} already exists`],
    });
    expect(await run('export', 'notes', '--to', join(home, 'no', 'x'))).toMatchObject({
      code: 1,
      notes: [expect.stringContaining('Not found: there is no folder for')],
    });
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(1204);
    const other = join(home, 'other');
    expect((await run('import', 'copy', '--from', file, '--directory', other)).text).toBe('1204 documents');
    expect((await run('export', 'copy', '--directory', other)).out.sort()).toEqual(lines.sort());
    expect(await json('verify', 'copy', '--directory', other)).toMatchObject({ ok: true, documents: 1204 });
    expect((await run('verify', 'notes')).out.at(-1)).toBe('No damage found.');
  });

  test('[S10] imports and exports names that mean something in JavaScript, such as __proto__', async () => {
    const { home, run } = await newShell();
    const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'then', 'toJSON', ''];
    const long = 'n'.repeat(10_000);
    const fields = (value: unknown) => Object.fromEntries([...names, long].map((name) => [name, value]));
    const base64 = Buffer.from('content').toString('base64');
    const files = fields({ type: 'a/b', lastModified: 5, base64 });
    const docs = names
      .filter((name) => name !== '')
      .map((_id) =>
        Object.fromEntries([['_id', _id], ...Object.entries(fields({ a: 1 })), ['_files', files]]),
      );
    const file = join(home, 'names.ndjson');
    await writeFile(file, docs.map((doc) => JSON.stringify(doc)).join('\n'));
    expect(await run('import', 'constructor', '--from', file)).toMatchObject({ code: 0 });
    const { out } = await run('export', 'constructor');
    const sorted = (line: string): string =>
      JSON.stringify(
        JSON.parse(line, (_, value) =>
          value && typeof value === 'object' ? Object.entries(value).sort() : value,
        ),
      );
    expect(out.map(sorted).sort()).toEqual(docs.map((doc) => sorted(JSON.stringify(doc))).sort());
  });

  test('keeps the order of the file for documents without an id', async () => {
    const { home, run } = await newShell();
    const file = join(home, 'ordered.ndjson');
    const lines = Array.from({ length: 3000 }, (_, n) => JSON.stringify({ n }));
    await writeFile(file, lines.join('\n'));
    expect((await run('import', 'ordered', '--from', file)).text).toBe('3000 documents');
    const { out } = await run('export', 'ordered');
    expect(out.map((line) => JSON.parse(line).n)).toEqual(lines.map((_, n) => n));
  });

  test('[R20] imports and exports the deepest allowed document, and rejects a deeper one', async () => {
    const { home, run } = await newShell();
    const file = join(home, 'deep.ndjson');
    const deep = (levels: number) => `{"_id":"a","v":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    await writeFile(file, deep(200));
    expect((await run('import', 'deep', '--from', file)).text).toBe('1 documents');
    expect((await run('export', 'deep')).out).toEqual([deep(200)]);
    for (const levels of [201, 5000, 1_000_000]) {
      await writeFile(file, deep(levels));
      expect(await run('import', 'deep', '--from', file)).toMatchObject({
        code: 1,
        notes: [expect.stringMatching(/^fixpoint: document cannot be stored: /)],
      });
    }
  });

  test('reports a line that is not a document, and stores no document of the same batch', async () => {
    const { home, run } = await newShell();
    const file = join(home, 'bad.ndjson');
    await writeFile(file, '{"_id":"a"}\n[1]\n');
    expect(await run('import', 'notes', '--from', file)).toMatchObject({
      code: 1,
      notes: ['fixpoint: document cannot be stored: line 2 is not a document'],
    });
    await writeFile(file, '{"_id":"a","_files":{"cover":{}}}\n');
    expect((await run('import', 'notes', '--from', file)).notes).toEqual([
      'fixpoint: document cannot be stored: line 1: the file cover has no base64 content',
    ]);
    expect(await run('verify', 'notes')).toMatchObject({ code: 1 });
    expect(await run('migrate', 'notes', '--from', home)).toMatchObject({ code: 1 });
  });

  test('creates no database when the file is missing', async () => {
    const { home, run } = await newShell();
    const file = join(home, 'absent.ndjson');
    expect(await run('import', 'notes', '--from', file)).toMatchObject({
      code: 1,
      notes: [`fixpoint: Not found: there is no file ${file}`],
    });
    await expect(readdir(join(home, 'databases'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('exits with code 1 when it verifies a damaged database', async () => {
    const { home, run } = await newShell();
    const directory = join(home, 'databases');
    const db = fixpoint('notes', { directory });
    await db.bulk(Array.from({ length: 50 }, (_, index) => ({ _id: `d${index}`, text: 'x'.repeat(1000) })));
    await db.close();
    expect((await run('verify', 'notes')).code).toBe(0);
    // Nothing reads the reserve, so damaging it has no effect.
    const files = (await readdir(directory, { recursive: true, withFileTypes: true })).filter(
      (one) => one.isFile() && !one.name.startsWith('reserve'),
    );
    const sizes = await Promise.all(
      files.map(async (one) => ({
        path: join(one.parentPath, one.name),
        size: (await stat(join(one.parentPath, one.name))).size,
      })),
    );
    const largest = sizes.sort((a, b) => b.size - a.size)[0]?.path ?? '';
    const bytes = await readFile(largest);
    bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 1;
    await writeFile(largest, bytes);
    expect((await run('verify', 'notes')).code).toBe(1);
  });
});

describe('fixpoint migrate', () => {
  test('imports a database of @fireproof/core, and can run again', async () => {
    const { home, run, json } = await newShell();
    const store = (name: string) => pathToFileURL(join(home, name)).href;
    const old = fireproof('old', { storeUrls: { base: store('ours') }, keyBag: { url: store('no-keys') } });
    await old.bulk([
      { _id: 'a', n: 1 },
      { _id: 'b', n: 2 },
    ]);
    await old.del('b');
    await exportDatabase(old, { to: store('theirs'), keyBag: store('keys') });
    await old.close();
    const from = ['--from', join(home, 'theirs'), '--key-bag', join(home, 'keys')];
    expect(await json('migrate', 'notes', '--name', 'old', ...from)).toMatchObject({
      documents: 1,
      deleted: 1,
    });
    expect((await run('export', 'notes')).out).toEqual(['{"_id":"a","n":1}']);
    expect(await run('migrate', 'notes', '--name', 'old', ...from)).toMatchObject({ code: 0 });
    expect(await run('migrate', 'notes', '--name', 'none', ...from)).toMatchObject({
      code: 1,
      notes: ['fixpoint: Not found: there is no database none'],
    });
  });
});

describe('fixpoint check-console', () => {
  const built = fileURLToPath(new URL('../../console/dist', import.meta.url));

  test.each(['', '/below'])(
    'finds the files of this version at a server with BASE_PATH=%s',
    async (basePath) => {
      const { ownUrl } = await testCloud({ consoleDir: built, basePath });
      const { json, run } = await newShell();
      const { files, sha256, differs } = await json('check-console', `${ownUrl}${basePath}/`);
      expect([files > 50, differs]).toEqual([true, []]);
      const { code, text } = await run('check-console', `${ownUrl}${basePath}`);
      expect([code, text]).toEqual([
        0,
        `All ${files} files are those of this version.\nsha256 of this version: ${sha256}`,
      ]);
    },
  );

  test('[S16] names files that differ, and files that are missing', async () => {
    const copy = await newFolder();
    await cp(built, copy, { recursive: true });
    await appendFile(join(copy, 'preload.js'), ';sendKeys()');
    await writeFile(
      join(copy, 'index.html'),
      '<!doctype html><html lang="en"><script src="/evil.js"></script>',
    );
    await rm(join(copy, 'theme.js'));
    const { url } = await testCloud({ consoleDir: copy });
    const { run } = await newShell();
    const { code, out } = await run('check-console', url);
    expect([code, out.slice(0, 3)]).toEqual([
      1,
      ['differs  /index.html', 'differs  /preload.js', 'differs  /theme.js'],
    ]);
    expect(out[3]).toMatch(/^3 of \d+ files differ from those of this version, or are missing\.$/);
  });

  test('reports a connection that breaks inside an answer', async () => {
    const server = createServer((_, answer) => {
      answer.writeHead(200, { 'content-length': 10 });
      answer.write('part', () => answer.destroy());
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { run } = await newShell();
    const notes = [expect.stringContaining(`couldn't reach the server ${url} (`)];
    expect(await run('check-console', url)).toMatchObject({ code: 1, out: [], notes });
  });

  test('rejects what is no address', async () => {
    const { run } = await newShell();
    expect(await run('check-console', 'fixpoint.example')).toMatchObject({ code: 2 });
  });
});

describe('fixpoint, on the machine of the server', () => {
  test('lists and approves the waitlist', async () => {
    const { url, data } = await testCloud({ signUp: 'waitlist' });
    const ada = await newPerson(url);
    const { run, json } = await newShell({ FIXPOINT_DATA: data });
    expect((await json('waitlist')).waiting).toMatchObject([{ email: 'ada@example.com' }]);
    expect(await run('waitlist', 'approve')).toMatchObject({ code: 2 });
    // A call with an address must never approve everybody, even with `--all`.
    expect(await run('waitlist', 'approve', 'eve@example.com', '--all')).toMatchObject({ code: 2 });
    expect((await json('waitlist')).waiting).toHaveLength(1);
    expect(await run('waitlist', 'approve', 'eve@example.com')).toMatchObject({ code: 1 });
    expect((await run('waitlist', 'approve', 'ada@example.com')).text).toBe('Approved ada@example.com.');
    expect((await ada.ask('reqEnsureUser')).user.status).toBe('active');
    const [record] = (await json('operate', 'audit', '--limit', '1')).records;
    expect(record).toMatchObject({ action: 'reqApproveWaiting', userId: 'command-line', tenantId: 'server' });
    expect(JSON.parse(record.detail)).toEqual({ userIds: [ada.userId] });
  });

  test('lists, bans, unbans and signs out users', async () => {
    const { url, data } = await testCloud();
    const ada = await newPerson(url);
    const { run, json } = await newShell({ FIXPOINT_DATA: data });
    expect((await json('users')).users).toMatchObject([{ email: 'ada@example.com', status: 'active' }]);
    expect((await run('users')).text).toContain(`${ada.userId}  active  fixpoint  ada@example.com`);
    for (const wrong of [
      ['users', 'ban'],
      ['users', 'ban', '--all'],
      ['users', 'ban', 'ada@example.com', '--all'],
      ['users', 'sign-out', 'eve@example.com', '--all'],
      ['users', 'praise', 'ada@example.com'],
    ])
      expect(await run(...wrong)).toMatchObject({ code: 2 });
    expect(await run('users', 'ban', 'eve@example.com')).toMatchObject({ code: 1 });
    expect((await run('users', 'ban', 'ada@example.com')).text).toBe(
      'ada@example.com is banned, and signed out everywhere.',
    );
    expect(await ada.send('reqListTenantsByUser')).toMatchObject({ status: 401 });
    expect(await run('users', 'unban', ada.userId)).toMatchObject({ code: 0 });
    // Unbanning doesn't restore sessions that the ban ended, but the user can sign in again.
    expect(await ada.send('reqListTenantsByUser')).toMatchObject({ status: 401 });
    const again = await personAgain(url);
    expect((await again.ask('reqListTenantsByUser')).tenants).toEqual([]);
    expect((await json('users', 'sign-out', '--all')).users).toHaveLength(1);
  });

  test('adds, lists and removes operators', async () => {
    const { url, data } = await testCloud();
    const ada = await newPerson(url);
    const { run, json } = await newShell({ FIXPOINT_DATA: data });
    const NONE = expect.stringContaining('This server has no operator.');
    expect((await run('operators')).text).toEqual(NONE);
    for (const wrong of [
      ['operators', 'add'],
      ['operators', 'praise', 'ada@example.com'],
    ])
      expect(await run(...wrong)).toMatchObject({ code: 2 });
    expect(await run('operators', 'add', 'ada@example.com', 'eve@example.com')).toMatchObject({ code: 1 });
    expect((await json('operators')).operators).toEqual([]);
    expect((await run('operators', 'add', 'ada@example.com')).text).toBe(
      'ada@example.com is an operator now.',
    );
    expect((await run('operators', 'add', ada.userId)).text).toBe('Nothing changed.');
    expect((await json('operators')).operators).toMatchObject([{ userId: ada.userId, email: ada.email }]);
    expect(await ada.ask('reqDescribeServer')).toMatchObject({ people: 1 });
    const { out } = await run('operators', 'remove', 'ada@example.com');
    expect(out).toEqual(['ada@example.com is no longer an operator.', NONE]);
    expect(await ada.send('reqDescribeServer')).toMatchObject({ status: 403 });
  });

  test('shows tenants, gateways, mails and audit records, and sets limits', async () => {
    const { url, data } = await testCloud();
    const ada = await newPerson(url);
    const { tenantId } = (await ada.ask('reqCreateTenant', { tenant: { name: 'Acme' } })).tenant;
    const { run, json } = await newShell({ FIXPOINT_DATA: data });
    expect((await run('operate')).text).toMatch(/sign-up +open\ntenants +1\npeople +1, 0 on/);
    const limits = ['operate', 'limits', tenantId];
    for (const wrong of [
      ['operate', 'praise'],
      ['operate', 'limits', '--storage', '1GB'],
      limits,
      [...limits, '--storage', 'much'],
      [...limits, '--storage', '1'],
      [...limits, '--databases', '-1'],
      [...limits, '--databases', '1e3'],
      ['operate', 'audit', '--limit', '0'],
    ])
      expect(await run(...wrong), wrong.join(' ')).toMatchObject({ code: 2 });
    expect(await run('operate', 'limits', 'zNone', '--admins', '1')).toMatchObject({ code: 1 });
    expect(await run(...limits, '--storage', '1.5GB', '--databases', '9')).toMatchObject({ code: 0 });
    expect(await run(...limits, '--shares', '20')).toMatchObject({ code: 0 });
    const [tenant] = (await json('operate', 'tenants', '--search', 'acm')).tenants;
    expect(tenant).toMatchObject({ tenantId, maxBytes: 1_500_000_000, maxLedgers: 9, maxShares: 20 });
    expect((await run('operate', 'tenants')).text).toContain('Acme  ada@example.com  0 of 9 databases');
    expect((await json('operate', 'tenants', '--search', 'none')).tenants).toEqual([]);
    const ofUser = ['operate', 'user-limits', 'ada@example.com'];
    expect(await run(...ofUser)).toMatchObject({ code: 2 });
    expect(await run('operate', 'user-limits', 'eve@example.com', '--tenants', '1')).toMatchObject({
      code: 1,
    });
    expect(await json(...ofUser, '--tenants', '1')).toEqual({ userId: ada.userId, maxTenants: 1 });
    expect(await ada.send('reqCreateTenant', { tenant: { name: 'Two' } })).toMatchObject({ status: 409 });
    await run(...limits, '--storage', 'none');
    expect((await json('operate', 'tenants')).tenants[0]).not.toHaveProperty('maxBytes');
    expect((await json('operate', 'gateways')).gateways).toMatchObject([{ url, version: '0.1.0' }]);
    expect((await json('operate', 'mails')).mails).toEqual([]);
    const { records } = await json('operate', 'audit', '--limit', '3');
    expect(records).toMatchObject([
      { action: 'reqSetTenantLimits', userId: 'command-line', tenantId },
      { action: 'reqSetUserLimits', userId: 'command-line', tenantId: 'server' },
      { action: 'reqSetTenantLimits', userId: 'command-line', tenantId },
    ]);
  });

  test('rejects a reset of factors that a sign-in provider keeps, and deletes nothing', async () => {
    const cloud = await testCloud();
    const ada = await newPerson(cloud.url);
    await cloud.stop();
    const { run } = await newShell({ FIXPOINT_DATA: cloud.data });
    const refused = async () => {
      const { code, notes } = await run('users', 'reset-factors', 'ada@example.com', '--json');
      return { ...(JSON.parse(notes[0] ?? '{}') as object), exit: code };
    };
    const { db } = await openTables(undefined, cloud.data, () => undefined);
    // Servers whose users sign in only through OpenID Connect don't have these tables.
    await db.schema.dropTable('twoFactor').execute();
    await db.schema.dropTable('passkey').execute();
    expect(await refused()).toMatchObject(KEPT_ELSEWHERE);
    expect(await db.selectFrom('Users').select('status').execute()).toEqual([{ status: 'active' }]);
    expect((await sql`select id from session`.execute(db)).rows).toHaveLength(1);
    // The command also rejects a reset for a user of Clerk.
    await db.updateTable('UserByProviders').set({ queryProvider: 'clerk' }).execute();
    expect(await refused()).toMatchObject(KEPT_ELSEWHERE);
    expect((await run('users', 'sign-out', ada.userId)).text).toMatch(
      /To end their browser sessions, use the sign-in provider/,
    );
    await db.destroy();
  });

  test('signs out nobody if the server has never run', async () => {
    const { run } = await newShell({ FIXPOINT_DATA: await newFolder() });
    expect(await run('users', 'sign-out', '--all')).toMatchObject({ code: 0, out: [] });
  });

  test('prints the address of the server, and exits on request', async () => {
    const { home, run } = await newShell({ LOG_LEVEL: 'silent' });
    const serve = ['serve', '--port', '0', '--data', join(home, 'cloud')];
    const { code, text } = await run(...serve);
    expect(code).toBe(0);
    expect(text).toMatch(/^Fixpoint is ready: http:\/\/(localhost|127\.0\.0\.1):\d+(\n|$)/);
    const { out } = await run(...serve, '--json');
    expect(JSON.parse(out[0] ?? '')).toMatchObject({ url: expect.stringMatching(/^http/) });
    expect(JSON.parse(out[1] ?? '')).toEqual({ stopped: true });
  });
});

describe('fixpoint, on the machine of a server', () => {
  test('backs up, verifies, restores and checks', async () => {
    const cloud = await testCloud();
    await newLedger(cloud);
    const { home, run, json } = await newShell();
    const [backups, key] = [join(home, 'backups'), join(home, 'key')];
    await mkdir(backups);
    await writeFile(key, 'ab'.repeat(32));
    const at = ['--data', cloud.data];
    const made = await run('backup', '--to', backups, '--key-file', key, ...at);
    expect(made).toMatchObject({ code: 0, notes: [] });
    const [id = ''] = /fixpoint-\w+-\w+/.exec(made.text) ?? [];
    expect(made.out[0]).toBe(`Backup ${id} is complete.`);
    expect(made.out[1]).toMatch(/^It contains every write that was acknowledged before 20[-\dT:.]+Z\.$/);
    expect(made.out[2]).toContain(' rows, 0 objects');
    const from = ['--from', join(backups, id), '--data', join(home, 'restored')];
    expect(await run('restore', ...from)).toMatchObject({
      code: 1,
      notes: [`fixpoint: key is not valid: the backup ${id} is encrypted with a key: pass this key`],
    });
    const { isRestored } = await json('restore', ...from, '--key-file', key, '--verify');
    expect(isRestored).toBe(false);
    const restored = await run('restore', ...from, '--key-file', key);
    expect(restored.out.slice(0, 2)).toEqual([
      `Restored the backup ${id}. Start the server now: devices resend what they wrote later.`,
      made.out[1],
    ]);
    expect(await run('restore', ...from, '--key-file', key)).toMatchObject({
      code: 1,
      notes: [expect.stringContaining("isn't empty: restore into an empty one")],
    });
    const checked = await json('check', '--data', join(home, 'restored'));
    expect(checked).toMatchObject({ tables: [], missing: [], damaged: [], orphans: [] });
    expect((await run('check', ...at)).code).toBe(0);
    expect(await run('backup', ...at)).toMatchObject({
      code: 2,
      notes: [expect.stringContaining('--to'), expect.anything()],
    });
  });

  test('exits with 1 if a backup lacks objects, or if the tables lack the databases of objects', async () => {
    const cloud = await testCloud();
    const { ledger } = await newLedger(cloud);
    const { home, run } = await newShell({ FIXPOINT_DATA: cloud.data });
    const lost = { ledgerId: ledger, name: 'car/gone', createdAt: '2026-11-28' };
    await cloud.db.insertInto('LedgerObjects').values(lost).execute();
    const made = await run('backup', '--to', home);
    expect(made).toMatchObject({ code: 1, notes: [] });
    expect(made.out[0]).toMatch(/^Backup fixpoint-\w+-\w+ lacks 1 objects\.$/);
    expect(made.text).toContain('It is a backup of the server ');
    const { db } = cloud;
    for (const table of ['LedgerObjects', 'LedgerUsers', 'Ledgers'] as const)
      await db.deleteFrom(table).execute();
    expect((await run('check')).code).toBe(0);
    const shelf = join(cloud.data, 'objects', '00', '0'.repeat(64));
    await mkdir(shelf, { recursive: true });
    await writeFile(join(shelf, '0'.repeat(64)), 'left');
    expect(await run('check')).toMatchObject({ code: 1, text: expect.stringContaining('have no databases') });
    expect(await run('backup', '--to', home)).toMatchObject({ code: 1, out: [] });
  });
});
