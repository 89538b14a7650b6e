/**
 * [12.3.2] Every TLS peer of the server must present a trusted certificate. Otherwise, the server
 * sends nothing to that peer.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { natsBus } from '../src/bus/nats-bus.ts';
import { fetchProviderJson } from '../src/identity/providers/provider-fetch.ts';
import { smtpMailer } from '../src/mail/smtp.ts';
import { openBucket } from '../src/objects/bucket.ts';
import { openPostgres } from '../src/tables/postgres.ts';
import { selfSigned } from './certificate.fixture.ts';

/** Handles the exchange before TLS, and calls `begin` when TLS may begin. */
type Before = (socket: Socket, begin: () => void) => void;

const atOnce: Before = (_, begin) => begin();

/**
 * Starts a server with a self-signed certificate, which records the data that it receives over TLS.
 */
async function impostor(before: Before = atOnce) {
  const told: Buffer[] = [];
  let begun = 0;
  const certificate = selfSigned();
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    before(socket, () => {
      begun += 1;
      const secure = new TLSSocket(socket, { isServer: true, ...certificate });
      secure.on('error', () => undefined);
      secure.on('data', (bytes) => told.push(bytes));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return {
    host: `127.0.0.1:${port}`,
    told: () => Buffer.concat(told).toString(),
    begun: () => begun,
  };
}

const UNKNOWN = /self-signed certificate/;

test('requires a trusted certificate of an identity provider', async () => {
  const { host, told } = await impostor();
  await expect(fetchProviderJson(`https://${host}/jwks`)).rejects.toMatchObject({
    code: 'FETCH',
    cause: { cause: { message: expect.stringMatching(UNKNOWN) } },
  });
  expect(told()).toBe('');
});

test('requires a trusted certificate of a bucket', async () => {
  const { host, told, begun } = await impostor();
  const keys = { accessKeyId: 'access', secretAccessKey: 'secret', sessionToken: undefined };
  const config = { url: `https://${host}/bucket`, region: 'us-east-1', isDirect: false, ...keys };
  expect(await openBucket(config, () => Date.now()).answers()).toBe(false);
  expect(begun()).toBeGreaterThan(0);
  expect(told()).toBe('');
});

test.each([
  ['with TLS from the first byte', 'smtps', atOnce],
  [
    'after STARTTLS',
    'smtp',
    (socket, begin) => {
      socket.write('220 mail.example ESMTP\r\n');
      socket.on('data', (line) => {
        if (String(line).startsWith('STARTTLS')) {
          socket.removeAllListeners('data');
          socket.write('220 go on\r\n');
          begin();
        } else socket.write('250-mail.example\r\n250-AUTH PLAIN\r\n250 STARTTLS\r\n');
      });
    },
  ],
] as const satisfies readonly (readonly [string, string, Before])[])(
  'requires a trusted certificate of a mail server, %s',
  async (_, protocol, before) => {
    const { host, told } = await impostor(before);
    const faults: unknown[] = [];
    const kept: unknown[] = [];
    const mailer = smtpMailer({
      // A local server needs no TLS, so this uses a name that doesn't look local.
      url: `${protocol}://user:canary@${host.replace('127.0.0.1', '0.0.0.0')}`,
      from: 'Fixpoint <no-reply@example.com>',
      fallback: { send: async (mail) => void kept.push(mail) },
      report: (fault) => void faults.push(fault),
    });
    onTestFinished(() => mailer.close());
    await mailer.send({ to: 'ada@example.com', subject: 'x', text: 'canary', html: '' });
    expect(faults).toMatchObject([{ message: expect.stringMatching(UNKNOWN) }]);
    expect(kept).toHaveLength(1);
    expect(told()).toBe('');
  },
);

test('requires a trusted certificate of a database', async () => {
  const { host, told } = await impostor((socket, begin) =>
    socket.once('data', () => {
      // Answers yes to the question whether TLS is available.
      socket.write('S');
      begin();
    }),
  );
  const url = `postgres://user:canary@${host}/name?sslmode=verify-full`;
  await expect(openPostgres(url, () => undefined)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(UNKNOWN),
  });
  expect(told()).toBe('');
});

test('requires a trusted certificate of a bus', async () => {
  const { host, told, begun } = await impostor((socket, begin) => {
    const { localPort: port } = socket;
    const info = { server_id: 'x', version: '2.10.0', proto: 1, host: '127.0.0.1', port, max_payload: 1e6 };
    socket.write(`INFO ${JSON.stringify({ ...info, tls_required: true })}\r\n`);
    begin();
  });
  const url = `tls://user:canary@${host}`;
  await expect(natsBus([url], () => undefined)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(begun()).toBeGreaterThan(0);
  expect(told()).toBe('');
});
