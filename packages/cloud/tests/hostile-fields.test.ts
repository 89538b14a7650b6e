/**
 * Tests wrong values in each field of each request. Requests and fields come from the schemas of
 * the protocol, so this file also covers new requests and fields.
 */
import { REQUESTS } from '@fixpoint/protocol/admin';
import { type Conn, requestMessage, type StorageRequest } from '@fixpoint/protocol/storage';
import { toJsonSchema } from '@valibot/to-json-schema';
import { describe, expect, test } from 'vitest';
import type { Shape } from '../../protocol/src/storage/shape.ts';
import { requests } from '../../protocol/src/storage/storage-messages.ts';
import { openAdmin } from '../src/admin/admin.fixture.ts';
import {
  about,
  commit,
  httpClient,
  newLedger,
  putJson,
  rawSocket,
  socketClient,
  testCloud,
} from './cloud.fixture.ts';

type Json = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** Values that no field accepts, and property names that every object has. */
const WRONG: readonly unknown[] = [
  null,
  [],
  'x',
  -1.5,
  'x'.repeat(40_000),
  '\0\ud800',
  '../../etc/passwd',
  [null],
  { toString: 1, constructor: { prototype: 7 } },
  JSON.parse('{"__proto__":{"type":"reqGestalt"}}'),
  Array.from({ length: 30 }).reduce<unknown>((inner) => [inner], 'deep'),
];
/** No answer may contain these. */
const SECRETS = /canary|at .+\.ts:\d+|node_modules|SQLITE|select |ZodError|ValiError/;

const pathText = (path: Path): string => path.join('.');

/** Returns the value with the field at the path changed or removed. */
function withField(
  value: unknown,
  [key, ...rest]: Path,
  change: { readonly to: unknown } | 'missing',
): unknown {
  if (key === undefined) return change === 'missing' ? undefined : change.to;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  const next = withField(copy[key], rest, change);
  if (next === undefined) delete copy[key];
  else copy[key] = next;
  return copy;
}

/** Returns the paths of all fields of a value; of lists, only those of the first item. */
function pathsIn(value: unknown, before: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries: (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.slice(0, 1).map((item) => [0, item])
    : Object.entries(value);
  return entries.flatMap(([key, field]) => [[...before, key], ...pathsIn(field, [...before, key])]);
}

interface Wrong {
  readonly path: string;
  readonly how: string;
  readonly message: unknown;
}

/** Values for tests over HTTP: only a few, because HTTP is slower and reaches the same gateway. */
const FEW = WRONG.slice(0, 3);

const wrongIn = (message: Json, paths: readonly Path[], values = WRONG): Wrong[] =>
  paths.flatMap((path) => [
    { path: pathText(path), how: 'missing', message: withField(message, path, 'missing') },
    ...values.map((to) => ({
      path: pathText(path),
      how: JSON.stringify(to).slice(0, 60),
      message: withField(message, path, { to }),
    })),
  ]);

/**
 * Returns whether the path in an error is that of the wrong field, of a field within it, or of the
 * list item that contains it.
 */
const tells = (told: unknown, path: string): boolean =>
  typeof told === 'string' &&
  (told === path || told.startsWith(`${path}.`) || (/\.\d+$/.test(told) && path.startsWith(`${told}.`)));

/**
 * Refusals with status 500, and the fields that may cause them. They have this status because the
 * first server of the protocol used it. docs/guide/http-api.md lists them.
 */
const KEPT_500: Readonly<Record<string, RegExp>> = {
  AUTH_JWK_REQUIRED: /^auth/,
  NOT_SIGNED_IN: /^auth/,
  NO_CONNECTION: /^conn/,
  NOT_FOUND: /^tenant/,
  REQUEST_INVALID: /^(type|conn(\.reqId)?)$/,
};
/** Refusals of fields whose form is valid, but whose meaning is wrong. */
const OF_MEANING: Readonly<Record<string, RegExp>> = {
  INVALID_STORE_TYPE: /^methodParam/,
  STORE_MISMATCH: /Param/,
  MISSING_CARS: /^(meta|objects|urlParam)/,
  CONFLICT: /./,
};

/** Returns a value that matches a shape of the storage protocol, with all fields. */
function sampleOf({ type, literal, entries, item }: Shape<unknown>): unknown {
  if (type === 'optional' && item !== undefined) return sampleOf(item);
  if (item !== undefined) return [sampleOf(item)];
  if (entries !== undefined)
    return Object.fromEntries(Object.entries(entries).map(([name, field]) => [name, sampleOf(field)]));
  return { literal, string: 'x', number: 0, boolean: true }[type as string];
}

interface JsonSchema {
  readonly type?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly minLength?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

/** Returns a value that matches a schema of the admin API, with all fields. */
function sampleOfJson({ type, pattern, enum: of, minimum, minLength, ...inner }: JsonSchema): unknown {
  if (inner.anyOf?.[0] !== undefined) return sampleOfJson(inner.anyOf[0]);
  if (of !== undefined) return of[0];
  if (inner.items !== undefined) return [sampleOfJson(inner.items)];
  if (inner.properties !== undefined)
    return Object.fromEntries(
      Object.entries(inner.properties).map(([name, field]) => [name, sampleOfJson(field)]),
    );
  if (type === 'string')
    return pattern?.includes('BCDFGH') ? 'BCDFGHJK' : 'sample'.padEnd(minLength ?? 0, 'x');
  return type === 'boolean' ? false : Math.max(1, minimum ?? 1);
}

const RATES = {
  perUserSecond: 1e6,
  perAddressSecond: 1e6,
  socketsPerAddressMinute: 1e6,
  socketsPerUser: 100,
};

/**
 * Starts a server with one ledger and one commit. Returns a function that creates requests about
 * this ledger, as a client would send them, but with all fields.
 */
async function arranged() {
  const cloud = await testCloud({ rates: RATES });
  const notes = await newLedger(cloud);
  const { conn, request } = await httpClient(cloud, notes);
  const { key, entry } = await commit({ conn, request }, notes, 'one');
  const messageOf = (type: StorageRequest['type'], conn: Conn): Json => {
    const { urlParam, ...known } = about(notes, type.endsWith('Data') ? 'car' : 'meta', 'GET', key);
    const sample = sampleOf(requests[type]) as Json;
    const real: Json = {
      ...known,
      urlParam: { ...(sample['urlParam'] as object), ...urlParam },
      meta: { metas: [entry], keys: ['zKey'] },
      objects: [`car/${key}`],
      faulty: [`car/${key}`],
      mark: '',
      params: {},
      presence: { id: 'A'.repeat(22), state: 'AAAA' },
      conn,
    };
    const given = Object.entries(real).filter(([name]) => name in sample);
    return { ...sample, ...requestMessage(type, 'z1', notes.token, Object.fromEntries(given)) };
  };
  return { cloud, notes, conn, messageOf };
}

function checkAnswer({ path, how }: Wrong, status: number | undefined, answer: Json, token: string): void {
  const what = `${path} = ${how} -> ${status} ${JSON.stringify(answer).slice(0, 300)}`;
  if (answer['type'] !== 'error') return;
  const code = String(answer['code']);
  const isKept = KEPT_500[code]?.test(path) === true;
  if (status !== undefined && status >= 500) expect(isKept, what).toBe(true);
  if (status !== undefined && !isKept) expect(status, what).toBeGreaterThanOrEqual(400);
  const isTold = tells(answer['path'], path) || isKept || OF_MEANING[code]?.test(path) === true;
  expect(isTold, what).toBe(true);
  const text = JSON.stringify(answer);
  expect(text, what).not.toMatch(SECRETS);
  expect(text.includes(token), what).toBe(false);
}

describe('[S7][R20] the storage protocol', () => {
  const types = Object.keys(requests) as StorageRequest['type'][];

  test('rejects each wrong field of each request over HTTP, and returns its path', {
    timeout: 120_000,
  }, async () => {
    const { cloud, notes, conn, messageOf } = await arranged();
    const url = `${cloud.url}/fp`;
    let count = 0;
    // Presence needs a socket.
    for (const type of types.filter((one) => one !== 'reqPresence')) {
      const message = messageOf(type, conn);
      expect(await putJson(url, message), type).toMatchObject({ status: 200 });
      const ask = async (wrong: Wrong) => {
        if (type === 'reqClose') await putJson(url, messageOf('reqOpen', conn));
        const { status, body } = await putJson(url, wrong.message);
        checkAnswer(wrong, status, body, notes.token);
        count += 1;
      };
      const all = wrongIn(message, pathsIn(message), FEW);
      while (all.length > 0) await Promise.all(all.splice(0, type === 'reqClose' ? 1 : 16).map(ask));
    }
    expect(count).toBeGreaterThan(500);
    expect((await fetch(`${cloud.url}/readyz`)).status).toBe(200);
  });

  test('rejects each wrong field of each request over a websocket, and keeps the socket open', {
    timeout: 120_000,
  }, async () => {
    const { cloud, notes, messageOf } = await arranged();
    const { socket, ask } = await rawSocket(cloud);
    const { conn } = await ask(requestMessage('reqOpen', 'z', notes.token, { conn: { reqId: 'q' } }));
    // Sends `bindGetMeta` last, because a connection that follows the ledger also receives events
    // caused by other requests.
    const last = types.filter((type) => type !== 'reqClose' && type !== 'bindGetMeta');
    for (const type of [...last, 'bindGetMeta' as const]) {
      const message = messageOf(type, conn);
      for (const wrong of wrongIn(message, pathsIn(message)))
        checkAnswer(wrong, undefined, await ask(wrong.message), notes.token);
    }
    expect(await ask(messageOf('reqGestalt', conn))).toMatchObject({ type: 'resGestalt' });
    expect(socket.readyState).toBe(socket.OPEN);
  });

  test('answers frames that contain no message, and keeps the socket open', async () => {
    const { cloud, notes, messageOf } = await arranged();
    const { socket, ask } = await rawSocket(cloud);
    const { conn } = await ask(requestMessage('reqOpen', 'z', notes.token, { conn: { reqId: 'q' } }));
    const whole = JSON.stringify(messageOf('reqGetData', conn));
    const frames: readonly (readonly [string | Buffer, string])[] = [
      ['{', 'not JSON'],
      [whole.slice(0, whole.length / 2), 'not JSON'],
      [whole + whole, 'not JSON'],
      [Buffer.from([0, 255, 254, 1]), 'not JSON'],
      ['', 'not JSON'],
      ['['.repeat(10_000), 'too deep'],
      [`[${'1,'.repeat(60_000)}1]`, 'too many parts'],
      ['null', 'the message must be an object'],
      ['[]', 'the message must be an object'],
      ['"reqOpen"', 'the message must be an object'],
      ['7', 'the message must be an object'],
    ];
    for (const [frame, why] of frames) {
      const message = `request is not valid: ${why}`;
      expect(await ask(frame), why).toMatchObject({
        ...{ type: 'error', tid: 'internal', code: 'REQUEST_INVALID', message },
      });
    }
    expect(await ask(whole)).toMatchObject({ type: 'resGetData' });
    expect(socket.readyState).toBe(socket.OPEN);
  });

  test('gives a reason when it closes a socket for a frame that is too large or breaks the protocol', async () => {
    const { cloud, notes } = await arranged();
    const large = await socketClient(cloud, notes);
    large.socket.send('x'.repeat(1_048_577));
    expect(await large.closed).toEqual({ code: 1009, reason: 'a message may have at most 1048576 bytes' });
    const broken = await socketClient(cloud, notes);
    // A text frame, masked with zeros, whose byte is not UTF-8.
    writeRaw(broken.socket, Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff]));
    expect(await broken.closed).toEqual({ code: 1007, reason: 'the text of the frame is not UTF-8' });
    const odd = await socketClient(cloud, notes);
    writeRaw(odd.socket, Buffer.from([0xf3, 0x80, 0, 0, 0, 0]));
    expect(await odd.closed).toEqual({ code: 1002, reason: 'the frame is not valid' });
    expect((await socketClient(cloud, notes)).conn.resId).toBeTruthy();
  });
});

/** Writes raw bytes to the TCP connection of a websocket. */
const writeRaw = (socket: object, bytes: Buffer): void =>
  void (socket as { _socket: { write(bytes: Buffer): void } })._socket.write(bytes);

describe('[S7][R20] the admin API', () => {
  test('rejects each wrong field of each request, and returns its path', { timeout: 120_000 }, async () => {
    const { admin, faults, signUp } = await openAdmin();
    const ada = await signUp('ada');
    const auth = { type: 'fake', token: JSON.stringify(ada.person) };
    for (const [type, { payload }] of Object.entries(REQUESTS)) {
      const schema = toJsonSchema(payload, { typeMode: 'input', errorMode: 'ignore' });
      const fields = sampleOfJson(schema as JsonSchema) as Json;
      const message: Json = { type, auth, ...fields };
      // The sample contains all options of a union, so the server may reject it. The loop ignores
      // errors with the same path.
      const choice = (await admin(message)).body['path'];
      for (const wrong of wrongIn(message, pathsIn(fields))) {
        const { status, body, headers } = await admin(wrong.message);
        const what = `${type}: ${wrong.path} = ${wrong.how} -> ${status} ${JSON.stringify(body)}`;
        expect(status, what).toBeLessThan(500);
        if (status === 429) expect(Number(headers?.['retry-after']), what).toBeGreaterThan(0);
        if (body['path'] !== undefined && body['path'] !== choice)
          expect(tells(body['path'], wrong.path), what).toBe(true);
        if (body['type'] === 'error') expect(body['code'], what).toMatch(/^[A-Z_]+$/);
        expect(String(body['message']).endsWith('Invalid input'), what).toBe(false);
        expect(JSON.stringify(body), what).not.toMatch(SECRETS);
      }
    }
    expect(faults).toEqual([]);
  });

  test('rejects malformed bodies in the error format of the admin API', async () => {
    const cloud = await testCloud({ rates: RATES });
    const url = `${cloud.url}/api`;
    const send = async (body: string, headers: Record<string, string> = {}) => {
      const { status, body: said } = await putJson(url, body, headers);
      return { status, said };
    };
    for (const body of ['{', '', 'null', '[]', '7', '{}', '{"type":7}', '{"type":"reqNothing"}']) {
      const { status, said } = await send(body);
      expect(status, body).toBe(400);
      expect(said, body).toEqual({
        type: 'error',
        code: 'REQUEST_INVALID',
        message: expect.stringContaining('request is not valid: '),
        error: `Error: ${said.message}`,
        ...(body.startsWith('{') && body !== '{' && { path: 'type' }),
      });
    }
    expect((await send(`"${'x'.repeat(70_000)}"`)).status).toBe(413);
    expect((await send('{}', { 'content-type': 'text/plain' })).status).toBe(415);
    const got = await fetch(url);
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'PUT, POST, OPTIONS']);
  });
});
