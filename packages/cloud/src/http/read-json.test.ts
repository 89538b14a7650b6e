import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readNodeJson, readWebJson } from './read-json.ts';

const HEADERS = { 'content-type': 'application/json', 'content-length': '100' };

test('[S7] waits at most 30 s for a body that does not arrive, in Node and Web requests', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const request = Object.assign(new PassThrough(), { headers: HEADERS });
  request.write('{"type":');
  const body = new ReadableStream();
  const asked = { method: 'PUT', headers: HEADERS, body, duplex: 'half' };
  const web = new Request('http://x/api', asked);
  const reading = [readNodeJson(request as unknown as IncomingMessage, 1000), readWebJson(web, 1000)];
  let answered = 0;
  for (const each of reading) void each.then(() => (answered += 1));
  await vi.advanceTimersByTimeAsync(29_999);
  expect(answered).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  for (const each of reading) expect(await each).toMatchObject({ refused: { status: 408 } });
});
