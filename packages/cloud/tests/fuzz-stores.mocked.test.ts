/**
 * Tests hostile answers of an object store, and hostile hints on a bus: input from the server's own
 * installation.
 */
import { isFixpointError } from '@fixpoint/protocol';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type SeededRandom, seededRandom } from '../../engine/src/testing/seeded-random.ts';
import { budget, patienceMs, processorMs, seed } from '../../engine/tests/budget.fixture.ts';
import { mutate } from '../../engine/tests/mutate.fixture.ts';
import { createListeners } from '../src/bus/hint-bus.ts';
import { createFanOut } from '../src/gateway/following/fan-out.ts';
import type { BucketConfig } from '../src/objects/bucket.ts';
import { codeIn, hashBeside, keysIn, lengthOf, saysNoObject } from '../src/objects/bucket-answers.ts';
import { openS3Objects } from '../src/objects/s3-objects.ts';
import { bytesOf, type StoredObjects } from '../src/objects/stored-objects.ts';
import { createLedgerRights } from '../src/rights/rights.ts';
import { putMetas } from '../src/tables/sync/put-metas.ts';
import { careOf, carKey, metaEntry, newLedger, tablesOf, temporaryFolder } from './cloud.fixture.ts';

// Retries of the store don't wait here.
vi.mock('node:timers/promises', async (original) => ({
  ...(await original<typeof import('node:timers/promises')>()),
  setTimeout: async () => undefined,
}));

const TRIES = budget({ commit: 100_000, night: 1_000_000, release: 10_000_000 });
/** Each of these tries sends several signed requests. */
const WHOLE_TRIES = Math.ceil(TRIES / 50);
const SLOW_MS = 1000;

const KEYS = ['t/l/car/bafy1', 't/l/car/bafy1~v1', 't/l/file/s00'];
const listOf = (keys: readonly string[]) =>
  `<?xml version="1.0"?><ListBucketResult xmlns="x">${keys
    .map((key) => `<Contents><Key>${key}</Key><Size>5</Size></Contents>`)
    .join('')}</ListBucketResult>`;
const MISSING = '<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>none</Message></Error>';
const utf8 = (text: string) => Buffer.from(text);
const headers = (name: string, value: string) => new Response(null, { headers: { [name]: value } });

interface Reader {
  readonly name: string;
  readonly valid: Uint8Array;
  /** Throws when the result has an invalid value. */
  read(text: string): unknown;
}
const READERS: readonly Reader[] = [
  {
    name: 'a list of keys',
    valid: utf8(listOf(KEYS)),
    read: (text) => {
      const keys = keysIn(text, 't/l/');
      for (const key of keys)
        if (!new URL(`http://s3/bucket/${key}`).href.startsWith('http://s3/bucket/t/l/'))
          throw new Error(key);
      return keys;
    },
  },
  { name: 'a refusal', valid: utf8(MISSING), read: (text) => codeIn(text) || saysNoObject(text) },
  { name: 'a length', valid: utf8('12345'), read: (text) => lengthOf(headers('content-length', text)) },
  {
    name: 'a hash',
    valid: utf8('0123456789abcdef'.repeat(4)),
    read: (text) => hashBeside(headers('x-amz-meta-sha256', text)),
  },
];

test.each(READERS)(
  '[R20] reads any store answer as $name, or rejects it with a typed error, within a second',
  { timeout: patienceMs() },
  ({ valid, read }) => {
    const random = seededRandom(seed() + valid.length);
    expect(read(Buffer.from(valid).toString())).toBeTruthy();
    for (let run = 0; run < TRIES; run += 1) {
      const text = Buffer.from(mutate(valid, random)).toString('latin1');
      const start = processorMs();
      try {
        read(text);
      } catch (cause) {
        // No answer can have this header: creating it fails.
        if (!isFixpointError(cause) && !(cause instanceof TypeError)) throw new Error(text, { cause });
      }
      if (processorMs() - start > SLOW_MS) throw new Error(`hangs: ${text}`);
    }
  },
);

const CONFIG: BucketConfig = {
  url: 'http://s3.test/bucket',
  region: 'us-east-1',
  accessKeyId: 'id',
  secretAccessKey: 'secret',
  sessionToken: undefined,
  isDirect: false,
};

/** Returns a plausible answer, or one with a few changes. */
function oddAnswer(random: SeededRandom, prefix: string): Response {
  const of = <T>(list: readonly T[]): T => list[random.below(list.length)] as T;
  const status = of([200, 200, 200, 206, 404, 404, 204, 201, 400, 403, 409, 412, 416, 429, 500, 503]);
  const lists = [listOf([]), listOf(KEYS), listOf(KEYS.filter((key) => key.startsWith(prefix)))];
  const text = of([...lists, MISSING, 'bytes', '', 'x'.repeat(70_000)]);
  const body = random.below(3) === 0 ? Buffer.from(mutate(utf8(text), random)) : utf8(text);
  const answer = new Response(status === 204 ? null : body, { status });
  const names = ['content-length', 'x-amz-meta-sha256', 'content-encoding', 'content-range', 'etag'];
  answer.headers.set('content-length', String(of([body.length, body.length, 5, 0, 1e12])));
  if (random.below(3) === 0)
    answer.headers.set(of(names), Buffer.from(mutate(utf8('gzip'), random)).toString('hex'));
  return answer;
}

const OPERATIONS: Readonly<Record<string, (objects: StoredObjects) => Promise<unknown>>> = {
  has: (objects) => objects.has('t/l/car/bafy1'),
  open: async (objects) => {
    const object = await objects.open('t/l/car/bafy1');
    if (object === undefined) return;
    if ((await bytesOf(object)).length !== object.bytes) throw new Error('bytes of another length');
  },
  variants: (objects) => objects.variants('t/l/car/bafy1'),
  remove: (objects) => objects.remove('t/l/car/bafy1'),
  removeLedger: (objects) => objects.removeLedger('t/l'),
  write: (objects) => objects.write('t/l/car/bafy1', bytesToWrite()),
  answers: (objects) => objects.answers(),
};
async function* bytesToWrite(): AsyncIterable<Uint8Array> {
  yield utf8('Bytes');
}

test(
  '[R20][R14] ends each operation with a result or a typed error, whatever the store answers, and accesses no other ledger',
  async () => {
    const random = seededRandom(seed());
    const inMemory = new Set<string>();
    let isOdd = false;
    let asked: string[] = [];
    vi.stubGlobal('fetch', async (url: string | URL, { method = '' }: RequestInit) => {
      const { href, searchParams } = new URL(url);
      asked.push(`${method} ${href}`);
      if (isOdd) return oddAnswer(random, searchParams.get('prefix') ?? '');
      const isNew = !inMemory.has(href);
      inMemory.add(href);
      return new Response(null, { status: method === 'DELETE' ? 204 : isNew ? 200 : 412 });
    });
    const letter = (bytes: Buffer) => /^[A-Z]/.exec(bytes.toString())?.[0];
    const objects = await openS3Objects(CONFIG, await temporaryFolder(), letter, () => 0);
    isOdd = true;
    const names = Object.keys(OPERATIONS);
    const ends = new Map<string, number>();
    const count = (end: string) => ends.set(end, (ends.get(end) ?? 0) + 1);
    for (let run = 0; run < WHOLE_TRIES; run += 1) {
      const name = names[run % names.length] ?? '';
      asked = [];
      try {
        await OPERATIONS[name]?.(objects);
        count(name);
      } catch (cause) {
        if (!isFixpointError(cause, 'STORE_FAILED')) throw new Error(`${name} in run ${run}`, { cause });
        count('failed');
      }
      // Each request has seven tries, so none runs for ever.
      if (asked.length > 100) throw new Error(`${name} in run ${run}: ${asked.length} requests`);
      const foreign = asked.filter(
        (each) => !/^\S+ http:\/\/s3\.test\/bucket\/(t\/l\/|\?list-type|\.fixpoint\/ready)/.test(each),
      );
      expect(foreign).toEqual([]);
    }
    // Some answers were rejected, and some were accepted.
    expect([...names, 'failed'].filter((end) => !ends.has(end))).toEqual([]);
  },
  patienceMs(),
);

beforeAll(() => vi.useFakeTimers({ toFake: ['setInterval'] }));
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test(
  '[R20] sends no event and reports no fault for invalid hints, then delivers an entry after a valid hint',
  async () => {
    const { db, tokens } = await tablesOf(await temporaryFolder());
    const notes = await newLedger({ db, tokens });
    const faults: unknown[] = [];
    const { tell, subscribe } = createListeners();
    const { listings } = careOf(db, { has: async () => true }, () => 0);
    const fanOut = createFanOut({
      db,
      listings,
      rights: createLedgerRights(db, () => 0),
      bus: { publish: tell, subscribe, close: async () => undefined },
      watch: { delivered: () => undefined },
      now: () => 0,
      report: (error) => faults.push(error),
    });
    const heard: string[] = [];
    const { userId, tenant, ledger } = notes;
    const follower = { send: (text: string) => void heard.push(text), cut: () => void heard.push('cut') };
    const stop = fanOut.follow({ userId, tenant, ledger, writer: 'w', head: {}, cursor: 0 }, follower);
    const random = seededRandom(seed());
    const valid = utf8(`${ledger} ${ledger} zOther`);
    for (let run = 0; run < TRIES; run += 1) {
      const payload = Buffer.from(mutate(valid, random)).toString(random.below(2) === 0 ? 'latin1' : 'utf8');
      const start = processorMs();
      tell(payload);
      if (processorMs() - start > SLOW_MS) throw new Error(`hangs: ${payload}`);
    }
    await fanOut.settled();
    expect([heard, faults]).toEqual([[], []]);
    const meta = metaEntry([carKey(new Uint8Array(1))]);
    await putMetas(db, { tenant, ledger }, 'other', { metas: [meta], keys: ['zKey'] }, 0);
    tell(`zOther ${ledger}`);
    await fanOut.settled();
    expect(heard).toHaveLength(1);
    stop();
    await fanOut.stop();
    await db.destroy();
  },
  patienceMs(),
);
