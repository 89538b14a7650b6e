/**
 * A bucket in memory that answers like S3, behind a proxy that fails when a test wants it to. So
 * tests of store failures don't need a real store. The bucket doesn't check signatures; the tests
 * with a real store cover them.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { BucketConfig } from './bucket.ts';
import { type Answer, faultyServer } from './s3.fixture.ts';

interface Stored {
  readonly bytes: Buffer;
  /** The sha-256 that the uploader sent. */
  readonly hash: string | undefined;
}

export interface FaultyBucket {
  readonly config: BucketConfig;
  /** Address of the store, without the bucket. */
  readonly endpoint: string;
  /** Its objects, by key. */
  readonly objects: Map<string, Stored>;
  /** Headers of the requests that reached the store. */
  readonly headers: IncomingHttpHeaders[];
}

const PATH = '/bucket';

export async function faultyBucket(
  answerTo: (method: string, path: string) => Answer,
): Promise<FaultyBucket> {
  const objects = new Map<string, Stored>();
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((asked, response) => {
    headers.push(asked.headers);
    void answer(objects, asked, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const endpoint = await faultyServer(`http://127.0.0.1:${port}`, answerTo);
  const config: BucketConfig = {
    url: endpoint + PATH,
    region: 'us-east-1',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
    sessionToken: undefined,
    isDirect: false,
  };
  return { config, endpoint, objects, headers };
}

async function answer(
  objects: Map<string, Stored>,
  asked: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of asked) parts.push(part as Buffer);
  const { pathname, searchParams } = new URL(asked.url ?? '/', 'http://s3');
  const key = pathname.slice(PATH.length + 1);
  const found = objects.get(key);
  if (searchParams.has('list-type')) {
    const [prefix, after] = [searchParams.get('prefix') ?? '', searchParams.get('start-after') ?? ''];
    const keys = [...objects.keys()].filter((each) => each.startsWith(prefix) && each > after).sort();
    const list = keys
      .slice(0, 1000)
      .map((each) => `<Contents><Key>${each}</Key><Size>${objects.get(each)?.bytes.length}</Size></Contents>`)
      .join('');
    response.end(`<ListBucketResult>${list}</ListBucketResult>`);
  } else if (asked.method === 'PUT') {
    if (found !== undefined) return void response.writeHead(412).end();
    const hash = asked.headers['x-amz-meta-sha256'];
    objects.set(key, { bytes: Buffer.concat(parts), hash: hash === undefined ? undefined : String(hash) });
    response.writeHead(200).end();
  } else if (asked.method === 'DELETE') {
    objects.delete(key);
    response.writeHead(204).end();
  } else if (found === undefined) response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
  else {
    const isPart = asked.headers.range !== undefined && found.bytes.length > 0;
    const bytes = isPart ? found.bytes.subarray(0, 1) : found.bytes;
    const hash = found.hash && { 'x-amz-meta-sha256': found.hash };
    response.writeHead(isPart ? 206 : 200, { 'content-length': bytes.length, ...hash }).end(bytes);
  }
}
