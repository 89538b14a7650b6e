import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { requestMessage } from '@fixpoint/protocol/storage';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { HEARTBEAT_MS } from '../../packages/cloud/src/gateway/carriers/socket-heartbeat.ts';
import { selfSigned } from '../../packages/cloud/tests/certificate.fixture.ts';
import { testCloud } from '../../packages/cloud/tests/cloud.fixture.ts';
import { debianProgram } from '../../scripts/debian-programs.mjs';
import { freePort, removeFolder, temporaryFolder } from './product.fixture.ts';

const execute = promisify(execFile);
/** The programs are fetched and started only by night. */
const isQuick = (process.env['FIXPOINT_BUDGET'] ?? 'commit') === 'commit';
const nginx = isQuick ? undefined : debianProgram('nginx', 'usr/sbin/nginx');
const caddy = isQuick ? undefined : debianProgram('caddy', 'usr/bin/caddy');

interface Proxied {
  readonly url: string;
  /** File with the certificate that clients must trust. */
  readonly certificate: string;
}

interface ProxyOptions {
  readonly folder: string;
  /** Address and port of the server. */
  readonly upstream: string;
  /** Path of the server, such as `/fixpoint`; empty for the root. */
  readonly basePath: string;
  readonly port: number;
}

/** Replaces a part of a configuration that operators change. */
function changed(text: string, from: string, to: string): string {
  expect(text).toContain(from);
  return text.replaceAll(from, to);
}

function withNginx({ folder, upstream, basePath, port }: ProxyOptions) {
  const { key, cert } = selfSigned();
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 });
  let site = readFileSync('deploy/nginx/fixpoint.conf', 'utf8');
  site = changed(site, 'server 127.0.0.1:7370;', `server ${upstream};`);
  site = changed(site, 'fixpoint.example', 'localhost');
  site = changed(site, '/etc/ssl/fixpoint/fullchain.pem', join(folder, 'cert.pem'));
  site = changed(site, '/etc/ssl/fixpoint/privkey.pem', join(folder, 'key.pem'));
  site = changed(site, 'listen 443', `listen 127.0.0.1:${port}`);
  site = changed(site, 'listen 80', `listen unix:${join(folder, 'plain.sock')}`);
  if (basePath !== '') site = changed(site, '  location / {', `  location ${basePath}/ {`);
  writeFileSync(join(folder, 'fixpoint.conf'), site);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const main = `${user} daemon off; pid ${join(folder, 'pid')}; error_log ${join(folder, 'error.log')};
    events {} http { access_log off; ${temporary.join(' ')} include ${join(folder, 'fixpoint.conf')}; }`;
  writeFileSync(join(folder, 'nginx.conf'), main);
  const args = ['-e', join(folder, 'error.log'), '-p', folder, '-c', join(folder, 'nginx.conf')];
  return { args, env: {}, certificate: join(folder, 'cert.pem') };
}

function withCaddy({ folder, upstream, basePath, port }: ProxyOptions) {
  const site = resolve('deploy/caddy/Caddyfile');
  // These options make Caddy sign a certificate for localhost itself, and use only this port.
  const options = `admin off\nhttps_port ${port}\nauto_https disable_redirects\nskip_install_trust\ndefault_bind 127.0.0.1`;
  writeFileSync(join(folder, 'Caddyfile'), `{\n${options}\n}\nimport ${site}\n`);
  return {
    args: ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')],
    env: {
      XDG_DATA_HOME: join(folder, 'data'),
      XDG_CONFIG_HOME: join(folder, 'config'),
      FIXPOINT_SITE: 'localhost',
      FIXPOINT_UPSTREAM: upstream,
      ...(basePath !== '' && { FIXPOINT_PATH: `${basePath}/` }),
    },
    certificate: join(folder, 'data/caddy/pki/authorities/local/root.crt'),
  };
}

const PROXIES = {
  nginx: { program: nginx, prepare: withNginx },
  caddy: { program: caddy, prepare: withCaddy },
};
type ProxyName = keyof typeof PROXIES;

/** Starts a proxy for one test, and waits until the server answers through it. */
async function startProxy(
  name: ProxyName,
  upstream: string,
  basePath: string,
  port: number,
): Promise<Proxied> {
  const folder = temporaryFolder();
  const { program = '', prepare } = PROXIES[name];
  const { args, env, certificate } = prepare({ folder, upstream, basePath, port });
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  const ended = new Promise((done) => child.once('exit', done));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
    removeFolder(folder);
  });
  const url = `https://localhost:${port}${basePath}`;
  await vi.waitFor(
    async () => {
      if (child.exitCode !== null) throw new Error(`${name} ended: ${said}`);
      expect(await status(url, certificate, '/readyz')).toBe(200);
    },
    { timeout: 60_000, interval: 100 },
  );
  return { url, certificate };
}

interface Sent {
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly from?: string;
}

/** Sends a request through the proxy, and resolves with the status of the answer. */
function status(url: string, certificate: string, path: string, { headers = {}, body, from }: Sent = {}) {
  return new Promise<number>((done, fail) => {
    const options = {
      ca: readFileSync(certificate),
      agent: false,
      headers,
      method: body === undefined ? 'GET' : 'PUT',
      ...(from !== undefined && { localAddress: from, family: 4 }),
    };
    const sent = request(`${url}${path}`, options, (response) => {
      response.resume();
      response.once('end', () => done(response.statusCode ?? 0));
    });
    sent.once('error', fail);
    sent.end(body);
  });
}

test('keeps a silent websocket in nginx for longer than the server needs to ping it twice', () => {
  const site = readFileSync('deploy/nginx/fixpoint.conf', 'utf8');
  for (const name of ['proxy_read_timeout', 'proxy_send_timeout']) {
    const [, seconds] = new RegExp(`^\\s*${name} (\\d+)s;$`, 'm').exec(site) ?? [];
    expect(Number(seconds) * 1000, name).toBeGreaterThan(2 * HEARTBEAT_MS);
  }
});

const hostOf = (url: string): string => `127.0.0.1:${new URL(url).port}`;
const consoleDir = resolve('packages/console/dist');

for (const name of ['nginx', 'caddy'] as const)
  describe.skipIf(PROXIES[name].program === undefined)(
    `behind ${name} (only by night, and where Debian is available)`,
    () => {
      test.each(['', '/fixpoint'])(
        'serves the console, live sync, large files and the largest object with BASE_PATH=%s, and trusts no header of the client',
        async (basePath) => {
          const port = await freePort();
          const cloud = await testCloud({
            proxyHops: 1,
            basePath,
            publicUrl: `https://localhost:${port}`,
            consoleDir,
          });
          const { url, certificate } = await startProxy(name, hostOf(cloud.ownUrl), basePath, port);
          const folder = temporaryFolder();
          onTestFinished(() => removeFolder(folder));
          mkdirSync(join(folder, 'devices'));
          const { stdout } = await execute(
            process.execPath,
            [
              'tests/system/proxied-device.mjs',
              JSON.stringify({ base: url, folder: join(folder, 'devices') }),
            ],
            {
              env: { PATH: process.env['PATH'] ?? '', NODE_EXTRA_CA_CERTS: certificate },
              // A device that can't sync retries for ever.
              timeout: 120_000,
            },
          );
          const { cookies, ...report } = JSON.parse(stdout) as { cookies: string[] };
          expect(report).toEqual({
            title: 'Buy milk',
            hasFile: true,
            socket: 'open',
            auditedFrom: ['127.0.0.2'],
            page: 200,
            hasProxyId: true,
            script: 200,
            largest: 403,
          });
          expect(cookies.length).toBeGreaterThan(0);
          for (const cookie of cookies) {
            expect(cookie).toContain('Secure');
            expect(cookie).toContain(`Path=${basePath || '/'}`);
          }
        },
      );

      test('limits the rate of an address, whatever addresses it claims', async () => {
        // The clock of the limits stands still, so it doesn't matter how long the requests take.
        vi.useFakeTimers({ toFake: ['Date'] });
        onTestFinished(() => void vi.useRealTimers());
        const rates = {
          perUserSecond: 1000,
          perAddressSecond: 1,
          socketsPerAddressMinute: 600,
          socketsPerUser: 200,
        };
        const cloud = await testCloud({ proxyHops: 1, rates });
        const { url, certificate } = await startProxy(name, hostOf(cloud.ownUrl), '', await freePort());
        const claim = (forwardedFor: string, from: string) =>
          status(url, certificate, '/fp', {
            headers: { 'content-type': 'application/json', 'x-forwarded-for': forwardedFor },
            body: JSON.stringify(requestMessage('reqGestalt', 'z1', 'wrong', {})),
            from,
          });
        const statuses: number[] = [];
        for (let index = 0; index < 12; index += 1)
          statuses.push(await claim(`203.0.113.${index}`, '127.0.0.2'));
        expect(statuses).toEqual(Array.from({ length: 12 }, (_, index) => (index < 10 ? 500 : 429)));
        expect(await claim('127.0.0.2', '127.0.0.3')).toBe(500);
      });
    },
  );
