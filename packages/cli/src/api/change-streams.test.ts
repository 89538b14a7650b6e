import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newApi, type TestApi, TOKEN } from './api.fixture.ts';

interface Page {
  readonly changes: readonly { readonly id: string; readonly doc?: object; readonly deleted?: boolean }[];
  readonly position: string;
  readonly isLast: boolean;
}

interface StreamEvent {
  readonly id: string;
  readonly name: string;
  readonly page: Page;
}

/** Opens a stream. `next` returns its next event; undefined when the stream has ended. */
async function stream({ api }: Pick<TestApi, 'api'>, query = '', headers: Record<string, string> = {}) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { headers: { authorization: `Bearer ${TOKEN}`, ...headers } };
    httpRequest(`${api.url}/changes/stream${query}`, options, resolve).on('error', reject).end();
  });
  onTestFinished(() => void response.destroy());
  response.setEncoding('utf8');
  const parts = response[Symbol.asyncIterator]();
  let text = '';
  let comments = 0;
  const next = async (): Promise<StreamEvent | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end === -1) {
        const part = await parts.next().catch(() => ({ done: true as const, value: undefined }));
        if (part.done) return undefined;
        text += part.value;
        continue;
      }
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const value = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      if (lines[0]?.startsWith(':')) comments += 1;
      else
        return { id: value('id') ?? '', name: value('event') ?? '', page: JSON.parse(value('data') ?? '') };
    }
  };
  return { response, next, comments: () => comments, close: () => response.destroy() };
}

const idsOf = (event: StreamEvent | undefined) => event?.page.changes.map(({ id }) => id);

describe('changes over HTTP', () => {
  test('returns all changes, oldest first, in pages', async () => {
    const { db, json } = await newApi();
    for (const _id of ['c', 'a', 'b']) await db.put({ _id });
    await db.del('a');
    const first = await json<Page & Record<string, unknown>>('GET', '/changes?limit=2');
    expect(first.changes.map(({ id }) => id)).toEqual(['c', 'a']);
    expect(first.isLast).toBe(false);
    const rest = await json<Page & Record<string, unknown>>('GET', `/changes?since=${first.position}`);
    expect(rest).toMatchObject({
      changes: [
        { id: 'b', doc: { _id: 'b' } },
        { id: 'a', deleted: true },
      ],
      isLast: true,
    });
    expect(rest.changes[1]).not.toHaveProperty('doc');
    const now = await json<Page & Record<string, unknown>>('GET', '/changes?since=now');
    expect(now).toEqual({ changes: [], position: rest.position, isLast: true });
    expect((await json('GET', '/changes?since=start&limit=2'))['changes']).toEqual(first.changes);
  });

  test('answers 410 for a position that the database does not have', async () => {
    const { send, db } = await newApi();
    const other = await newApi();
    await other.db.put({ _id: 'a' });
    await db.put({ _id: 'b' });
    const { position } = await other.json<Page & Record<string, unknown>>('GET', '/changes');
    for (const path of ['/changes', '/changes/stream']) {
      const answer = await send('GET', `${path}?since=${position}`);
      expect(answer.status).toBe(410);
      expect(await answer.json()).toMatchObject({ error: { code: 'HISTORY_COMPACTED' } });
    }
  });
});

describe('a stream of changes', () => {
  test('sends the position, then changes as they happen', async () => {
    const served = await newApi();
    await served.db.put({ _id: 'before' });
    const { response, next } = await stream(served);
    expect(response.headers['content-type']).toBe('text/event-stream');
    const start = await next();
    expect(start).toMatchObject({ name: 'position', page: { changes: [] } });
    expect(start?.id).toBe(start?.page.position);
    await served.db.put({ _id: 'a', n: 1 });
    const event = await next();
    expect(event).toMatchObject({
      name: 'changes',
      page: { changes: [{ id: 'a', doc: { n: 1 } }], isLast: true },
    });
    await served.db.del('a');
    expect(await next()).toMatchObject({ page: { changes: [{ id: 'a', deleted: true }] } });
  });

  test('continues after Last-Event-ID, which takes precedence over since', async () => {
    const served = await newApi();
    await served.db.put({ _id: 'a' });
    const first = await stream(served, '?since=start&limit=1');
    await first.next();
    const { id = '' } = (await first.next()) ?? {};
    first.close();
    await served.db.bulk([{ _id: 'b' }, { _id: 'c' }]);
    const second = await stream(served, '?since=start&limit=1', { 'last-event-id': id });
    await second.next();
    expect([idsOf(await second.next()), idsOf(await second.next())]).toEqual([['b'], ['c']]);
  });

  test('sends comments while nothing happens', async () => {
    const served = await newApi({ heartbeatMs: 5 });
    const { next, comments } = await stream(served);
    await next();
    const event = next();
    await expect.poll(comments).toBeGreaterThan(2);
    await served.db.put({ _id: 'a' });
    expect(idsOf(await event)).toEqual(['a']);
  });

  test('ends when the client goes, and keeps no subscription', async () => {
    const subscriptions = new Set<object>();
    const { db } = await newApi();
    const counted = {
      ...db,
      subscribe: (...args: Parameters<typeof db.subscribe>) => {
        const key = {};
        subscriptions.add(key);
        const stop = db.subscribe(...args);
        return () => {
          subscriptions.delete(key);
          stop();
        };
      },
    };
    const served = await newApi({ db: counted });
    const streams = [];
    for (let n = 0; n < 3; n++) streams.push(await stream(served));
    for (const { next } of streams) await next();
    expect([served.api.pending().streams, subscriptions.size]).toEqual([3, 3]);
    for (const { close } of streams) close();
    await expect.poll(() => [served.api.pending().streams, subscriptions.size]).toEqual([0, 0]);
  });

  test('answers other methods with 405, and opens no stream', async () => {
    const { send, api } = await newApi();
    for (const method of ['POST', 'PUT', 'OPTIONS']) {
      const answer = await send(method, '/changes/stream');
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
    expect(api.pending().streams).toBe(0);
  });

  test('answers HEAD with the headers of the stream, at once, and opens none', async () => {
    const served = await newApi();
    const { db, api, send, reports } = served;
    await db.put({ _id: 'a' });
    const { position } = await served.json<Page & Record<string, unknown>>('GET', '/changes');
    const { response, close } = await stream(served);
    close();
    for (const query of ['', '?since=start', `?since=${position}`]) {
      const head = await send('HEAD', `/changes/stream${query}`);
      expect([head.status, await head.text()]).toEqual([200, '']);
      for (const name of ['content-type', 'cache-control', 'x-accel-buffering', 'vary'])
        expect(head.headers.get(name), name).toBe(response.headers[name]);
    }
    const resumed = await send('HEAD', '/changes/stream?since=nowhere', undefined, {
      'last-event-id': position,
    });
    expect(resumed.status).toBe(200);
    expect((await send('HEAD', '/changes/stream?since=nowhere')).status).toBe(400);
    expect((await send('HEAD', '/changes/stream?limit=0')).status).toBe(400);
    expect((await fetch(`${api.url}/changes/stream`, { method: 'HEAD' })).status).toBe(401);
    await expect.poll(() => api.pending().streams).toBe(0);
    expect(reports).toEqual([]);
  });

  test('rejects a wrong position, limit and token before it begins', async () => {
    const { send, api } = await newApi();
    expect((await send('GET', '/changes/stream?since=nowhere')).status).toBe(400);
    expect((await send('GET', '/changes/stream?limit=0')).status).toBe(400);
    expect((await fetch(`${api.url}/changes/stream`)).status).toBe(401);
    expect(api.pending().streams).toBe(0);
  });

  test('disconnects a reader that does not read, and keeps at most one event for it', async () => {
    const served = await newApi({ drainMs: 50 });
    const { hostname, port } = new URL(served.api.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(
      `GET /changes/stream HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`,
    );
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    expect(served.api.pending().streams).toBe(1);
    const text = 'x'.repeat(500_000);
    for (let from = 0; from < 60; from += 20)
      await served.db.bulk(Array.from({ length: 20 }, (_, n) => ({ _id: `d${from + n}`, text })));
    await expect.poll(() => served.api.pending().streams).toBe(0);
    expect(served.reports).toEqual([]);
    socket.destroy();
  });

  test('ends when the server stops', async () => {
    const served = await newApi();
    const { next } = await stream(served);
    await next();
    await served.api.close();
    expect(await next()).toBeUndefined();
    expect([served.api.pending().streams, served.reports]).toEqual([0, []]);
  });

  test('allows at most 100 streams', async () => {
    const served = await newApi();
    for (let n = 0; n < 100; n++) await stream(served);
    expect((await served.send('GET', '/changes/stream')).status).toBe(429);
  });
});
