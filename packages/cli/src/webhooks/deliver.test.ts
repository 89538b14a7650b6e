import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Database, fixpoint } from 'fixpoint';
import { changeFeed } from 'fixpoint/feed';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newFolder } from '../api/api.fixture.ts';
import { type DeliveryParts, delayMs, startWebhooks } from './deliver.ts';
import { filePositions } from './positions.ts';
import { signatureOf, webhooksOf } from './webhook.ts';

const SECRET = `whsec_${Buffer.from('a secret of 24 bytes....').toString('base64')}`;
const START_MS = 1_700_000_000_000;

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly path: string | undefined;
}

interface Body {
  readonly changes: readonly { readonly id: string; readonly doc?: { readonly n: number } }[];
  readonly position: string;
  readonly reset: boolean;
}

const bodyOf = ({ body }: Received) => JSON.parse(body) as Body;
const idsOf = (all: readonly Received[]) => all.flatMap((one) => bodyOf(one).changes.map(({ id }) => id));

/** A receiver over HTTP, which answers with the status that `statusOf` returns. */
async function newReceiver(statusOf: (at: number) => number = () => 200, port = 0) {
  const received: Received[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      received.push({ headers: request.headers, body, path: request.url });
      response.writeHead(statusOf(received.length - 1), { location: '/elsewhere' }).end('answer');
    });
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  const stop = () =>
    new Promise((done) => {
      server.close(done);
      server.closeAllConnections();
    });
  onTestFinished(() => void stop());
  const { port: actual } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${actual}/hook`, port: actual, received, stop };
}

async function newWorld(options: Partial<DeliveryParts> = {}) {
  const db: Database = fixpoint('hooked', { directory: await newFolder(), commitEachWrite: true });
  onTestFinished(() => db.close());
  const folder = await newFolder();
  const notes: string[] = [];
  const waits: number[] = [];
  let now = START_MS;
  const parts: DeliveryParts = {
    feed: changeFeed(db),
    subscribe: (changed) => db.subscribe(changed),
    positions: filePositions(folder),
    secret: SECRET,
    fetch,
    now: () => now,
    random: () => 1,
    sleep: async (ms) => {
      waits.push(ms);
      now += ms;
      await new Promise(setImmediate);
    },
    note: (line) => void notes.push(line),
    ...options,
  };
  const start = (...addresses: string[]) => {
    const webhooks = webhooksOf(addresses, SECRET);
    const stop = startWebhooks(webhooks, parts);
    onTestFinished(stop);
    return { stop, webhooks };
  };
  /** Resolves when every webhook has a position, from which on it gets changes. */
  const begun = (count = 1) =>
    expect
      .poll(async () => (await readdir(folder)).filter((name) => name.endsWith('.json')))
      .toHaveLength(count);
  return { db, folder, notes, waits, parts, start, begun };
}

describe('webhooks', () => {
  test('sends signed changes in order, from the first start on', async () => {
    const { db, start, begun } = await newWorld();
    await db.put({ _id: 'before' });
    const { url, received } = await newReceiver();
    start(url);
    await begun();
    for (let n = 0; n < 20; n++) await db.put({ _id: `d${n}`, n });
    await db.del('d3');
    await expect.poll(() => idsOf(received)).toHaveLength(21);
    expect(idsOf(received)).toEqual([...Array.from({ length: 20 }, (_, n) => `d${n}`), 'd3']);
    expect(bodyOf(received.at(-1) as Received).changes.at(-1)).toMatchObject({ id: 'd3', deleted: true });
    for (const { headers, body } of received) {
      const {
        'webhook-id': id = '',
        'webhook-timestamp': timestamp,
        'webhook-signature': signature,
      } = headers;
      expect(signature).toBe(signatureOf(SECRET, String(id), Number(timestamp), body));
      expect(timestamp).toBe(String(START_MS / 1000));
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'fixpoint-webhook' });
    }
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(received.length);
  });

  test('retries after failures, with longer waits, and the same id for the same content', async () => {
    const { db, start, begun, waits, notes } = await newWorld();
    const { url, received } = await newReceiver((at) => [500, 404, 302, 429][at] ?? 200);
    start(url);
    await begun();
    await db.put({ _id: 'a', n: 1 });
    await expect.poll(() => received.length).toBeGreaterThanOrEqual(5);
    expect(waits).toEqual([1000, 2000, 4000, 8000]);
    const first = received.slice(0, 5);
    expect(new Set(first.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(first.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(5);
    expect(received.map(({ path }) => path)).not.toContain('/elsewhere');
    await expect.poll(() => notes.at(-1)).toContain('delivered after 4 failures');
    expect(notes[2]).toContain('the receiver answered with status 302; next attempt in 4 s');
  });

  test('sends the current content after a failure, not the content at the first attempt', async () => {
    const { db, start, begun } = await newWorld({
      sleep: async () => void (await db2()),
    });
    const db2 = async () => db.put({ _id: 'a', n: 2 });
    const { url, received } = await newReceiver((at) => (at === 0 ? 503 : 200));
    start(url);
    await begun();
    await db.put({ _id: 'a', n: 1 });
    await expect.poll(() => received).toHaveLength(2);
    expect(received.map((one) => bodyOf(one).changes)).toMatchObject([
      [{ doc: { n: 1 } }],
      [{ doc: { n: 2 } }],
    ]);
    expect(received[0]?.headers['webhook-id']).not.toBe(received[1]?.headers['webhook-id']);
  });

  test('continues after a restart, and repeats unconfirmed deliveries', async () => {
    const { db, start, begun } = await newWorld();
    let isDown = false;
    const { url, received } = await newReceiver(() => (isDown ? 503 : 200));
    const first = start(url);
    await begun();
    await db.put({ _id: 'a', n: 1 });
    await expect.poll(() => idsOf(received)).toEqual(['a']);
    isDown = true;
    await db.put({ _id: 'b', n: 1 });
    await expect.poll(() => received.length).toBeGreaterThan(1);
    await first.stop();
    await db.put({ _id: 'c', n: 1 });
    received.length = 0;
    isDown = false;
    start(url);
    await expect.poll(() => idsOf(received)).toEqual(['b', 'c']);
  });

  test('waits for a receiver that is not there yet, and delays no other one', async () => {
    const { db, start, begun, notes } = await newWorld();
    const gone = await newReceiver();
    await gone.stop();
    const other = await newReceiver();
    start(gone.url, other.url, other.url, `${other.url}#fragment`);
    await begun(2);
    await db.put({ _id: 'a' });
    await expect.poll(() => idsOf(other.received)).toEqual(['a']);
    await expect.poll(() => notes[0]).toContain("the receiver can't be reached (ECONNREFUSED)");
    const { received } = await newReceiver(() => 200, gone.port);
    await expect.poll(() => idsOf(received)).toEqual(['a']);
    expect(other.received).toHaveLength(1);
  });

  test('divides large commits, and sends all of their changes', async () => {
    const { db, start, begun } = await newWorld();
    const { url, received } = await newReceiver();
    start(url);
    await begun();
    await db.bulk(Array.from({ length: 250 }, (_, n) => ({ _id: `d${n}` })));
    await expect.poll(() => idsOf(received)).toHaveLength(250);
    expect(received.map((one) => bodyOf(one).changes.length)).toEqual([100, 100, 50]);
    await db.bulk(Array.from({ length: 32 }, (_, n) => ({ _id: `large${n}`, text: 'x'.repeat(100_000) })));
    await expect.poll(() => idsOf(received)).toHaveLength(282);
    expect(received.slice(3).length).toBeGreaterThan(1);
  });

  test('survives positions that cannot be read or written', async () => {
    const { db, start, folder, notes, begun } = await newWorld();
    const { url, received } = await newReceiver();
    const [{ id = '' } = {}] = webhooksOf([url], SECRET);
    const file = join(folder, `${id}.json`);
    await writeFile(file, '{');
    start(url);
    await expect.poll(() => notes[0]).toContain('delete it to continue with later changes');
    await rm(file);
    await begun();
    await db.put({ _id: 'a' });
    await expect.poll(() => idsOf(received)).toEqual(['a']);
    // A folder in place of the draft: saving fails, and the delivery is repeated.
    await mkdir(`${file}.draft`);
    await db.put({ _id: 'b' });
    await expect.poll(() => received.length).toBeGreaterThan(2);
    await rm(`${file}.draft`, { recursive: true });
    await db.put({ _id: 'c' });
    await expect.poll(() => idsOf(received).at(-1)).toBe('c');
    expect(
      new Set(
        received.filter((one) => idsOf([one]).join() === 'b').map(({ headers }) => headers['webhook-id']),
      ).size,
    ).toBe(1);
  });

  test('starts again with all documents if the database no longer has the position', async () => {
    const { db, start, folder } = await newWorld();
    await db.bulk([{ _id: 'a' }, { _id: 'b' }]);
    const other = await newWorld();
    await other.db.put({ _id: 'x' });
    const { url, received } = await newReceiver((at) => (at === 0 ? 500 : 200));
    const [{ id = '' } = {}] = webhooksOf([url], SECRET);
    await filePositions(folder).save(id, await other.parts.feed.position());
    start(url);
    await expect.poll(() => received).toHaveLength(2);
    expect(received.map(bodyOf)).toMatchObject([
      { reset: true, changes: [{ id: 'a' }, { id: 'b' }] },
      { reset: true, changes: [{ id: 'a' }, { id: 'b' }] },
    ]);
    await db.put({ _id: 'c' });
    await expect
      .poll(() => bodyOf(received.at(-1) as Received))
      .toMatchObject({ reset: false, changes: [{ id: 'c' }] });
  });

  test('never shows a password, a path or a query', async () => {
    const { db, start, begun, notes, folder } = await newWorld();
    const { url, received } = await newReceiver((at) => (at === 0 ? 500 : 200));
    const { stop } = start(`${url.replace('//', '//ada:pass%40word@')}?key=hidden`);
    await begun();
    await db.put({ _id: 'a' });
    await expect.poll(() => received.length).toBeGreaterThan(1);
    expect(received[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('ada:pass@word').toString('base64')}`,
    );
    expect(received[0]?.path).toBe('/hook?key=hidden');
    await stop();
    const stored = await Promise.all(
      (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
    );
    for (const text of [...notes, ...stored, ...(await readdir(folder))])
      expect(text).not.toMatch(/pass|ada|hidden|hook\?/);
    expect(notes[0]).toMatch(/^webhook http:\/\/127\.0\.0\.1:\d+ \([0-9a-f]{6}\): /);
  });

  test('ends at once, also during a delivery', async () => {
    const neverAnswers = createServer(() => undefined);
    await new Promise<void>((done) => neverAnswers.listen(0, '127.0.0.1', done));
    onTestFinished(() => void neverAnswers.close(() => undefined).closeAllConnections());
    const { port } = neverAnswers.address() as AddressInfo;
    const { db, start, begun, notes } = await newWorld();
    const { stop } = start(`http://127.0.0.1:${port}/`);
    await begun();
    const asked = new Promise((done) => neverAnswers.once('request', done));
    await db.put({ _id: 'a' });
    await asked;
    await stop();
    expect(notes).toEqual([]);
  });
});

describe('the parts of webhooks', () => {
  test('waits longer after each failure, with a random part, at most five minutes', () => {
    expect([1, 2, 3, 9, 10, 1000].map((failures) => delayMs(failures, 1))).toEqual([
      1000, 2000, 4000, 256_000, 300_000, 300_000,
    ]);
    expect([delayMs(3, 0), delayMs(3, 0.5)]).toEqual([2000, 3000]);
  });

  test('rejects other addresses, without repeating them', () => {
    for (const address of [
      '',
      'nothing',
      'ftp://ada:password@x',
      'file:///etc/passwd',
      'javascript:password',
    ])
      expect(() => webhooksOf([address], SECRET)).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.not.stringContaining('passw') }),
      );
  });

  test('signs as the specification Standard Webhooks does', () => {
    // The example of the specification.
    const signature = signatureOf(
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1_614_265_330,
      '{"test": 2432232314}',
    );
    expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  test('keeps positions in files that only this user can read', async () => {
    const folder = join(await newFolder(), 'new', 'folder');
    const positions = filePositions(folder);
    expect(await positions.load('a')).toBeUndefined();
    await positions.save('a', 'one');
    await positions.save('a', 'two');
    expect(await filePositions(folder).load('a')).toBe('two');
    expect((await stat(join(folder, 'a.json'))).mode & 0o777).toBe(0o600);
    await writeFile(join(folder, 'b.json'), '{"position":1}');
    await expect(positions.load('b')).rejects.toMatchObject({ code: 'CORRUPT' });
    await chmod(folder, 0o700);
  });
});
