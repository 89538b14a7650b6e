import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AwsClient } from 'aws4fetch';
import { onTestFinished } from 'vitest';
import type { BucketConfig } from './bucket.ts';

/** A real S3 server for tests: `npm run services` prints its address. */
export const S3 = process.env['FIXPOINT_TEST_S3'];
const [accessKeyId = '', secretAccessKey = ''] = (process.env['FIXPOINT_TEST_S3_KEYS'] ?? ':').split(':');

let count = 0;

/** Creates a bucket on the real server. */
export async function newBucket(options: { isDirect?: boolean } = {}): Promise<BucketConfig> {
  if (S3 === undefined) throw new Error('FIXPOINT_TEST_S3 is not set: npm run services -- env');
  count += 1;
  const url = `${S3}/test-${process.pid}-${Date.now()}-${count}`;
  const client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: 'us-east-1' });
  const made = await client.fetch(url, { method: 'PUT' });
  if (!made.ok) throw new Error(`the bucket could not be made: ${made.status} ${await made.text()}`);
  return {
    url,
    region: 'us-east-1',
    accessKeyId,
    secretAccessKey,
    sessionToken: undefined,
    isDirect: options.isDirect ?? false,
  };
}

/**
 * - `lose answer`: the store handles the request, and the answer is lost;
 * - `cut`: the connection closes before the store gets the request; `cut body`: the connection
 *   closes in the middle of the answer;
 * - `lateMs`: the request reaches the store this many milliseconds later.
 */
export type Answer =
  | 'pass'
  | 'lose answer'
  | 'cut'
  | 'cut body'
  | { readonly lateMs: number }
  | { readonly status: number; readonly body?: string };

/**
 * Starts a proxy in front of the server. For each request, `answerTo` decides whether the proxy
 * forwards, disturbs or answers it.
 */
export async function faultyServer(
  target: string,
  answerTo: (method: string, path: string) => Answer,
): Promise<string> {
  const server = createServer((asked, response) => {
    const answer = answerTo(asked.method ?? '', asked.url ?? '');
    if (answer === 'cut') return void asked.socket.destroy();
    if (typeof answer === 'object' && 'status' in answer) {
      asked.resume();
      // Passes the whole body to `end`, so that Node sends a `content-length`, as a store does.
      return void asked.on('end', () =>
        Object.assign(response, { statusCode: answer.status }).end(answer.body),
      );
    }
    if (typeof answer === 'object')
      return void setTimeout(() => forward(target, asked, response, 'pass'), answer.lateMs);
    forward(target, asked, response, answer);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

function forward(
  target: string,
  asked: IncomingMessage,
  response: ServerResponse,
  how: 'pass' | 'lose answer' | 'cut body',
): void {
  const { hostname, port } = new URL(target);
  const onward = request(
    { hostname, port, method: asked.method, path: asked.url, headers: asked.headers },
    (answer) => {
      if (how === 'lose answer') return void answer.resume().on('end', () => asked.socket.destroy());
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      if (how === 'pass') return void answer.pipe(response);
      answer.once('data', (part: Buffer) => {
        response.write(part.subarray(0, part.length / 2), () => asked.socket.destroy());
      });
      answer.once('end', () => asked.socket.destroy());
    },
  );
  onward.on('error', () => asked.socket.destroy());
  asked.pipe(onward);
}
