import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fixpoint, toCloud } from 'fixpoint';
import createClient from 'openapi-fetch';
import openApiTypes, { astToString } from 'openapi-typescript';
import ts from 'typescript-api';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { codeBlocksOf } from '../../../tests/architecture/code-blocks.fixture.ts';
import { testCloud } from '../../cloud/tests/cloud.fixture.ts';
import { newPerson } from '../../cloud/tests/person.fixture.ts';
import { build } from '../../cloud/tests/process.fixture.ts';
import { environmentOf, newHome, runCommand } from './command.fixture.ts';

beforeAll(build);

const execute = promisify(execFile);

interface Started {
  readonly url: string;
  readonly tokenFile: string;
  readonly webhookSecretFile?: string;
}

/** Starts the API of a database as a process, on a free port. */
async function startApi(home: string, argv: readonly string[], more?: Readonly<Record<string, string>>) {
  const running = runCommand(home, ['api', ...argv, '--port', '0', '--json'], more);
  const about = JSON.parse(await running.ready) as Started;
  const token = (await readFile(about.tokenFile, 'utf8')).trim();
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${about.url}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });
  const put = (id: string, doc: object, query = '') =>
    call(`/documents/${id}${query}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(doc),
    });
  return { ...running, ...about, token, call, put };
}

/** A receiver of webhooks, which can be stopped and started again at the same port. */
async function newReceiver() {
  const ids: string[] = [];
  let port = 0;
  const start = async () => {
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (part) => {
        body += part;
      });
      request.on('end', () => {
        ids.push(...(JSON.parse(body) as { changes: { id: string }[] }).changes.map(({ id }) => id));
        response.end();
      });
    });
    await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
    ({ port } = server.address() as AddressInfo);
    const stop = () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      });
    onTestFinished(() => void stop());
    return stop;
  };
  const stop = await start();
  return { url: `http://127.0.0.1:${port}/hook`, ids, stop, start };
}

describe('fixpoint api as a process', () => {
  test('answers curl, keeps its token in a private file, and ends with exit code 0', async () => {
    const home = await newHome();
    const { url, token, tokenFile, child, ended, stdout, stderr } = await startApi(home, [
      'notes',
      '--create',
    ]);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await stat(tokenFile)).mode & 0o777).toBe(0o600);
    const header = join(home, 'header');
    await writeFile(header, `Authorization: Bearer ${token}`);
    const curl = async (...argv: string[]) =>
      (
        await execute('curl', [
          '--silent',
          '--show-error',
          '--max-time',
          '60',
          '--header',
          `@${header}`,
          ...argv,
        ])
      ).stdout;
    const json = ['--header', 'Content-Type: application/json'];
    expect(await curl('-X', 'PUT', ...json, '-d', '{"title":"Milk"}', `${url}/documents/a`)).toBe(
      '{"id":"a"}',
    );
    expect(JSON.parse(await curl(`${url}/documents/a`))).toEqual({ _id: 'a', title: 'Milk' });
    const found = await curl(...json, '-d', '{"where":{"title":{"startsWith":"M"}}}', `${url}/find`);
    expect(JSON.parse(found)).toMatchObject({ docs: [{ _id: 'a' }] });
    expect(await curl('-w', '%{http_code}', '-o', '/dev/null', '--head', `${url}/changes/stream`)).toContain(
      '200',
    );
    const events = await curl('--no-buffer', '--max-time', '2', `${url}/changes/stream?since=start`).catch(
      (failure: { stdout: string }) => failure.stdout,
    );
    expect(events).toMatch(/^retry: \d+\nid: start\nevent: position\n/);
    expect(events).toContain('event: changes\ndata: {"changes":[{"id":"a"');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(stdout.at(-1)).toBe('{"stopped":true}');
    expect([...stdout, ...stderr].some((line) => line.includes(token))).toBe(false);
  });

  test('answers the commands of the guide, as they stand', async () => {
    const home = await newHome();
    const { url } = await startApi(home, ['notes', '--create']);
    const [start, script] = codeBlocksOf('docs/guide/local-api.md').filter(
      ({ language }) => language === 'sh',
    );
    expect(start?.code).toBe('npx fixpoint api notes --create');
    const typed = (script?.code ?? '')
      .replaceAll('http://127.0.0.1:7380', url)
      .replaceAll('curl', 'curl -sS');
    const { stdout } = await execute('bash', ['-euc', typed], { env: environmentOf(home) });
    expect(stdout).toMatch(/^\{"id":"a"\}\{"docs":\[\{"_id":"a",.*"rank":2/);
  });

  test('ends open streams when it is stopped, uses the same token again, and keeps what it acknowledged when it is killed', async () => {
    const home = await newHome();
    const first = await startApi(home, ['notes', '--create']);
    for (let n = 0; n < 30; n++) expect((await first.put(`d${n}`, { n })).status).toBe(200);
    first.child.kill('SIGKILL');
    expect(await first.ended).toBe('SIGKILL');
    const second = await startApi(home, ['notes']);
    expect(second.token).toBe(first.token);
    expect(
      await (
        await second.call('/count', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{}',
        })
      ).json(),
    ).toEqual({ count: 30 });
    const stream = await second.call('/changes/stream');
    const rest = stream.text();
    second.child.kill('SIGINT');
    expect(await rest).toContain('event: position');
    expect(await second.ended).toBe(0);
  });

  test('sees what another process writes', async () => {
    const home = await newHome();
    const served = await startApi(home, ['notes', '--create']);
    const stream = await served.call('/changes/stream');
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    const file = join(home, 'in.ndjson');
    await writeFile(file, '{"_id":"imported"}\n');
    const imported = runCommand(home, ['import', 'notes', '--from', file]);
    expect(await imported.ended).toBe(0);
    let text = '';
    while (!text.includes('"id":"imported"'))
      text += Buffer.from((await reader.read()).value ?? []).toString();
    await reader.cancel();
  });

  test('delivers to webhooks across a stop of the receiver and a kill of the process', async () => {
    const home = await newHome();
    const receiver = await newReceiver();
    const secretive = receiver.url.replace('//', '//ada:hunter2@');
    const argv = ['notes', '--create', '--webhook', secretive, '--webhook', secretive];
    const first = await startApi(home, argv);
    expect((await stat(first.webhookSecretFile ?? '')).mode & 0o777).toBe(0o600);
    // Its position exists when the first change arrives.
    await expect
      .poll(async () => {
        await first.put('warm-up', { at: receiver.ids.length });
        return receiver.ids;
      })
      .toContain('warm-up');
    await first.put('a', { n: 1 });
    await expect.poll(() => receiver.ids).toContain('a');
    await receiver.stop();
    await first.put('b', { n: 1 });
    await expect.poll(() => first.stderr.join('\n')).toContain("can't be reached");
    first.child.kill('SIGKILL');
    await first.ended;
    await receiver.start();
    const second = await startApi(home, argv);
    await expect.poll(() => receiver.ids).toContain('b');
    await second.put('c', { n: 1 });
    await expect.poll(() => receiver.ids.at(-1)).toBe('c');
    expect(receiver.ids.slice(receiver.ids.indexOf('a'))).toEqual(['a', 'b', 'c']);
    for (const line of [...first.stdout, ...first.stderr, ...second.stdout, ...second.stderr])
      expect(line).not.toMatch(/hunter2/);
  });

  test('ends without an error when the reader of its output ends first, as head does', async () => {
    const { child, ready, ended, stderr } = runCommand(await newHome(), ['help']);
    child.stdout?.destroy();
    await expect(ready).rejects.toThrow();
    expect([await ended, stderr]).toEqual([0, []]);
  });

  test('rejects wrong usage, missing databases and unsafe options', async () => {
    const home = await newHome();
    const endOf = async (...argv: string[]) => {
      const { ended, stderr } = runCommand(home, ['api', ...argv]);
      return [await ended, stderr.join(' ')];
    };
    expect(await endOf()).toEqual([2, expect.stringContaining('the name of a database is missing')]);
    expect(await endOf('notes')).toEqual([1, expect.stringContaining('--directory')]);
    expect(await endOf('notes', '--create', '--port', '70000')).toEqual([
      2,
      expect.stringContaining('--port'),
    ]);
    expect(await endOf('notes', '--create', '--kind', 'open')).toEqual([
      2,
      expect.stringContaining('--kind'),
    ]);
    expect(await endOf('notes', '--create', '--allow-origin', '*')).toEqual([
      1,
      expect.stringContaining('origin'),
    ]);
    const open = ['notes', '--create', '--without-token', '--host', '0.0.0.0', '--port', '0'];
    expect(await endOf(...open)).toEqual([1, expect.stringContaining('a token is needed')]);
    expect(await endOf('notes', '--create', '--webhook', 'ftp://ada:hunter2@x')).toEqual([
      1,
      expect.not.stringContaining('hunter2'),
    ]);
  });
});

describe('a client that is generated from the OpenAPI document', () => {
  test('compiles, and works against the API', async () => {
    const home = await newHome();
    const { url, token } = await startApi(home, ['notes', '--create']);
    const types = astToString(await openApiTypes(new URL(`${url}/openapi.json`)));
    expect(faultsIn(types, USE)).toEqual([]);
    // A compiler that accepts everything would prove nothing.
    expect(faultsIn(types, USE.replace("'/documents/{id}'", "'/document/{id}'")).length).toBeGreaterThan(0);
    const script = ts.transpileModule(USE, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 },
    }).outputText;
    const run = script.replace(/^import .*$/gm, '').replace('export async function', 'return async function');
    const use = new Function('createClient', run)(createClient) as (
      url: string,
      token: string,
    ) => Promise<unknown>;
    expect(await use(url, token)).toEqual({ title: 'Milk', count: 1, ids: ['a'], code: 'NOT_FOUND' });
  });
});

/** A program that uses the generated types. */
const USE = `
import createClient from 'openapi-fetch';
import type { paths } from './types.ts';

export async function use(baseUrl: string, token: string) {
  const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } });
  const path = { id: 'a' };
  await client.PUT('/documents/{id}', { params: { path }, body: { title: 'Milk' } });
  const { data: doc } = await client.GET('/documents/{id}', { params: { path } });
  const { data: counted } = await client.POST('/count', { body: { where: { title: 'Milk' } } });
  const { data: page } = await client.GET('/changes', { params: { query: { limit: 10 } } });
  const { error } = await client.GET('/documents/{id}', { params: { path: { id: 'none' } } });
  const count: number | undefined = counted?.count;
  const ids: string[] | undefined = page?.changes.map(({ id }) => id);
  return { title: doc?.['title'], count, ids, code: error?.error.code };
}
`;

/** Compiles a program with the generated types. Returns the messages of the compiler. */
function faultsIn(types: string, program: string): string[] {
  const folder = import.meta.dirname;
  const files = new Map([
    [join(folder, 'types.ts'), types],
    [join(folder, 'use.ts'), program],
  ]);
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    skipLibCheck: true,
  };
  const host = ts.createCompilerHost(options);
  const [{ getSourceFile, fileExists, readFile: read }] = [{ ...host }];
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name) ?? read(name);
  host.getSourceFile = (name, target, ...more) => {
    const text = files.get(name);
    return text === undefined
      ? getSourceFile(name, target, ...more)
      : ts.createSourceFile(name, text, target, true);
  };
  const found = ts.getPreEmitDiagnostics(ts.createProgram([...files.keys()], options, host));
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

/** Creates a ledger, and returns how a device reaches it. */
async function newCloudLedger(kind: 'sealed' | 'open-key') {
  const cloud = await testCloud();
  const ada = await newPerson(cloud.url);
  const { tenant } = await ada.ask('reqCreateTenant', { tenant: { name: 'Acme' } });
  const { tenantId } = tenant;
  const { ledger } = await ada.ask('reqCreateLedger', { ledger: { tenantId, name: 'notes', kind } });
  const { ledgerId } = ledger;
  const { token } = await ada.ask('reqCreateApiToken', { tenantId, name: 'api', right: 'write' });
  const env = { FIXPOINT_URL: cloud.url, FIXPOINT_TOKEN: token as string };
  const selected = { tenant: tenantId, ledger: ledgerId };
  const cloudToken = async () => (await ada.ask('reqCloudSessionToken', { selected })).token as string;
  return { url: cloud.url, tenantId, ledgerId, env, cloudToken };
}

describe('fixpoint api with a ledger', () => {
  test('syncs a sealed ledger next to the keys, waits for uploads, and reports the sync', async () => {
    const home = await newHome();
    const { env, ledgerId } = await newCloudLedger('sealed');
    const served = await startApi(home, ['--ledger', ledgerId], env);
    expect((await served.put('a', { n: 1 }, '?wait=cloud')).status).toBe(200);
    await expect
      .poll(async () => (await served.call('/health')).json())
      .toMatchObject({ status: 'ok', sync: { state: 'in-sync', toSend: 0 } });
    served.child.kill('SIGTERM');
    expect(await served.ended).toBe(0);
    const missing = runCommand(home, ['api', '--ledger', 'zNothing'], env);
    expect([await missing.ended, missing.stderr.join()]).toEqual([
      1,
      expect.stringContaining('no database with the id'),
    ]);
  });

  test('receives and sends documents of an open-key ledger, but only if it was asked to', async () => {
    const home = await newHome();
    const { url, env, ledgerId, tenantId, cloudToken } = await newCloudLedger('open-key');
    const sealed = await startApi(home, ['first', '--ledger', ledgerId], env);
    await expect.poll(() => sealed.stderr.join(' ')).toContain('ledger is of the other kind');
    const remote = {
      base: url,
      tenant: tenantId,
      ledger: ledgerId,
      token: cloudToken,
      kind: 'open-key',
    } as const;
    const other = fixpoint('other-device', { directory: join(home, 'other') });
    onTestFinished(() => other.close());
    const attached = await other.attach(toCloud(remote));
    await other.put({ _id: 'theirs' });
    await attached.synced();
    const argv = ['notes', '--ledger', ledgerId, '--tenant', tenantId, '--kind', 'open-key'];
    const served = await startApi(home, argv, env);
    await expect.poll(async () => (await served.call('/documents/theirs')).status).toBe(200);
    expect((await served.put('ours', { n: 1 }, '?wait=cloud')).status).toBe(200);
    await expect.poll(() => other.get('ours').catch(() => undefined)).toEqual({ _id: 'ours', n: 1 });
    await attached.detach();
  });
});
