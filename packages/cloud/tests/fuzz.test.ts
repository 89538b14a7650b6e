import { isFixpointError } from '@fixpoint/protocol';
import {
  parseKeyRecord,
  recordFields,
  requestMessage,
  type StorageRequest,
} from '@fixpoint/protocol/storage';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../engine/src/testing/seeded-random.ts';
import { budget, patienceMs, processorMs, seed } from '../../engine/tests/budget.fixture.ts';
import { mutate } from '../../engine/tests/mutate.fixture.ts';
import { localBus } from '../src/bus/hint-bus.ts';
import { httpConnections } from '../src/gateway/carriers/http-connections.ts';
import { carsOf } from '../src/gateway/content/read-entry.ts';
import { createPolls } from '../src/gateway/following/polls.ts';
import { createGateway } from '../src/gateway/gateway.ts';
import { keyIdOf } from '../src/gateway/keys/key-ids.ts';
import { announcedIn } from '../src/gateway/keys/key-records.ts';
import { parseJson } from '../src/gateway/parse-json.ts';
import { createPresenceRooms } from '../src/gateway/presence/rooms.ts';
import { clientAddress, hostAskedFor } from '../src/http/client-address.ts';
import { createOrigins } from '../src/http/origins.ts';
import { createBucket } from '../src/limits/token-bucket.ts';
import { openDiskObjects } from '../src/objects/disk-objects.ts';
import { sealedKeyOf } from '../src/objects/sealed-key.ts';
import { serveObjects } from '../src/objects/serve-objects.ts';
import { urlSigner } from '../src/objects/signed-url.ts';
import { createLedgerRights } from '../src/rights/rights.ts';
import { createCloudTokens, newSigningKey } from '../src/tokens/cloud-tokens.ts';
import { claimedDeviceKey, readSigningRequest, verifyDeviceToken } from '../src/tokens/device-keys.ts';
import { GATEWAY_ROWS } from './access/table.ts';
import {
  about,
  careOf,
  carKey,
  cidText,
  metaEntry,
  mint,
  newLedger,
  tablesOf,
  temporaryFolder,
} from './cloud.fixture.ts';

const TRIES = budget({ commit: 100_000, night: 1_000_000, release: 10_000_000 });
const SECRET = new Uint8Array(32).fill(7);

/** Returns a generator of random numbers, whose seed decides all numbers. */
function chance() {
  let state = seed() >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (end: number) => Math.floor(next() * end);
  return { below, of: <T>(list: readonly T[]): T => list[below(list.length)] as T };
}
type Chance = ReturnType<typeof chance>;

const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  'x',
  '../../x',
  '__proto__',
  '\0',
  '\ud800',
  'x'.repeat(5000),
  [],
  {},
  [[]],
  { toString: 1 },
  { length: -1 },
  Array.from({ length: 2000 }, () => 'x'),
];

/** Returns a copy of the value in which one random item is changed. */
function changed(value: unknown, luck: Chance): unknown {
  if (typeof value !== 'object' || value === null || luck.below(4) === 0) return luck.of(ODD);
  const entries = Object.entries(value);
  if (entries.length === 0) return luck.of(ODD);
  const [name, part] = luck.of(entries);
  if (luck.below(8) === 0) return Object.fromEntries(entries.filter(([other]) => other !== name));
  const copy = Array.isArray(value) ? [...value] : { ...value };
  (copy as Record<string, unknown>)[luck.below(12) === 0 ? luck.of(LETTERS) : name] = changed(part, luck);
  return copy;
}

const LETTERS = [
  '.',
  '/',
  '%',
  '?',
  '&',
  '=',
  '~',
  '-',
  '_',
  'A',
  'z',
  '0',
  ' ',
  '\0',
  'ä',
  '{',
  '}',
  '"',
  '\\',
  ',',
];
/** Returns the text with some letters changed, removed, inserted or doubled. */
function scribbled(text: string, luck: Chance): string {
  let result = text;
  for (let count = 1 + luck.below(3); count > 0; count -= 1) {
    const at = luck.below(result.length + 1);
    const [before, after] = [result.slice(0, at), result.slice(at)];
    result = [
      () => `${before}${luck.of(LETTERS)}${after.slice(1)}`,
      () => `${before}${luck.of(LETTERS)}${after}`,
      () => `${before}${after.slice(1 + luck.below(8))}`,
      () => `${before}${after.slice(0, 20)}${after}`,
      () => before,
    ][luck.below(luck.below(8) === 0 ? 5 : 4)]?.() as string;
  }
  return result;
}

describe('[R20] input from the network', () => {
  test(
    'answers every message without a server fault',
    async () => {
      const data = await temporaryFolder();
      const { db, tokens } = await tablesOf(data);
      const notes = await newLedger({ db, tokens });
      const faults: unknown[] = [];
      const now = () => 0;
      const disk = await openDiskObjects(`${data}/objects`, () => undefined, now);
      const bucket = createBucket({ perSecond: 1e9, burst: 1e9 }, now);
      const rooms = createPresenceRooms({
        rights: createLedgerRights(db, now),
        channel: undefined,
        now,
        after: () => () => undefined,
        random: () => 0,
        newId: () => 'gateway',
        report: (error) => faults.push(error),
      });
      const gateway = createGateway({
        db,
        startsLogs: true,
        tokens: { ...tokens, verify: async (token) => ({ ...(await tokens.verify(token)), expiresAtMs: 1 }) },
        rights: createLedgerRights(db, now),
        ...careOf(
          db,
          serveObjects(disk, urlSigner(SECRET, now), undefined, () => undefined),
          now,
        ),
        bus: localBus(),
        polls: createPolls(),
        limits: {
          ...{ ofUser: bucket, ofAddress: bucket, connects: bucket, reports: bucket },
          ...{ logPuts: bucket, presence: bucket },
        },
        rooms,
        traffic: { count: () => undefined },
        watch: { answered: () => undefined, delivered: () => undefined, cut: () => undefined },
        now,
        report: (error) => faults.push(error),
        endpoints: { http: ['/fp'], socket: ['/ws'] },
      });
      const seat = { isOpen: () => true, isReading: () => true, offer: () => true };
      const carrier = { ...httpConnections(SECRET)({ origin: 'http://x', address: 'a' }), seat };
      const conn = carrier.open({ userId: notes.userId, selected: {} }, 'q', undefined);
      const good = GATEWAY_ROWS.filter(({ type }) => type !== 'reqClose').map(({ type, store }) => ({
        ...requestMessage(type as StorageRequest['type'], 'z1', notes.token, {}),
        conn,
        ...about(notes, store, 'GET', 'k'),
        meta: { metas: [metaEntry([])], keys: ['zKey'] },
        presence: { id: 'guestxxxxxxxxxxx1', state: 'sealed' },
      }));
      const luck = chance();
      const slowest = { ms: 0, text: '' };
      for (let index = 0; index < TRIES; index += 1) {
        const message = changed(luck.of(good), luck);
        const start = processorMs();
        const { answer } = await gateway(message, carrier);
        const ms = processorMs() - start;
        if (ms > slowest.ms) Object.assign(slowest, { ms, text: JSON.stringify(message)?.slice(0, 300) });
        if (typeof answer.type !== 'string' || typeof answer.tid !== 'string')
          throw new Error(`${JSON.stringify(message)} -> ${JSON.stringify(answer)}`);
        JSON.stringify(answer);
      }
      expect(faults).toEqual([]);
      expect({}).not.toHaveProperty('x');
      await db.destroy();
    },
    patienceMs(),
  );

  test(
    'reads texts of messages as JSON or rejects them',
    () => {
      const luck = chance();
      const text = JSON.stringify(
        requestMessage(
          'reqPutMeta',
          'z1',
          'a.b.c',
          about({ tenant: 't', ledger: 'l', userId: 'u', token: 'x' }, 'meta', 'PUT'),
        ),
      );
      for (let index = 0; index < TRIES; index += 1) {
        const odd = scribbled(text, luck);
        let own: unknown;
        try {
          own = JSON.parse(odd);
        } catch {
          expect(() => parseJson(odd)).toThrow('request is not valid');
          continue;
        }
        if (JSON.stringify(parseJson(odd)) !== JSON.stringify(own)) throw new Error(odd);
      }
    },
    patienceMs(),
  );

  test(
    'rejects altered signed URLs',
    () => {
      const luck = chance();
      const now = () => 1_000_000;
      const signer = urlSigner(SECRET, now);
      for (let index = 0; index < TRIES; index += 1) {
        const path = `t${luck.below(9)}/l/car/key${luck.below(99)}`;
        const url = signer.sign('GET', 'host', path, 60);
        if (signer.verify('GET', 'host', url) !== path) throw new Error(`rejected a valid URL: ${url}`);
        const odd = scribbled(url, luck);
        if (odd !== url && signer.verify('GET', 'host', odd) !== undefined)
          throw new Error(`accepted an altered URL: ${odd}`);
        if (signer.verify('PUT', 'host', url) !== undefined)
          throw new Error(`accepted another method: ${url}`);
      }
    },
    patienceMs(),
  );

  test(
    'rejects altered tokens',
    async () => {
      const luck = chance();
      const tokens = await createCloudTokens([await newSigningKey()], () => Date.now());
      const token = await mint(tokens, 'u', 't', 'l');
      const bytesOf = (text: string) =>
        text.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex'));
      const same = bytesOf(token).join('.');
      let refused = 0;
      for (let index = 0; index < TRIES; index += 1) {
        const odd = scribbled(token, luck);
        const isFine = await tokens.verify(odd).then(
          () => true,
          () => false,
        );
        // Unused bits in the last letter of a part allow other spellings of the same bytes.
        if (isFine && bytesOf(odd).join('.') !== same) throw new Error(`accepted: ${odd}`);
        if (!isFine) refused += 1;
      }
      expect(refused).toBeGreaterThan(TRIES * 0.9);
    },
    patienceMs(),
  );
});

const cbor = (...parts: (number | string | Buffer)[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(typeof part === 'number' ? [part] : Buffer.from(part))));
const ofLength = (length: number) => 'x'.repeat(length);
const recordText = (bytes: Uint8Array) => `S1.${Buffer.from(bytes).toString('base64url')}`;
/** A valid point of P-256 (its generator), because random bytes aren't a point on the curve. */
const POINT = Buffer.from(
  '046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5',
  'hex',
);
const DEVICE = cbor(0xa2, 0x61, 't', 0x66, 'device', 0x63, 'pub', 0x58, 65, POINT);
const GRANT = cbor(
  ...[0xa6, 0x61, 't', 0x65, 'grant', 0x63, 'box', 0x43, 'abc', 0x63, 'eph', 0x58, 65, POINT],
  ...[0x63, 'key', 0x50, ofLength(16), 0x63, 'pub', 0x58, 65, POINT, 0x65, 'proof', 0x58, 28, ofLength(28)],
);
const SEALED = cbor(
  ...[0xa3, 0x62, 'iv', 0x4c, ofLength(12), 0x64, 'data', 0x58, 40, ofLength(40)],
  ...[0x65, 'keyId', 0x58, 32, ofLength(32)],
);
const origins = createOrigins({
  publicUrl: undefined,
  ownUrl: 'http://own.test',
  allowed: undefined,
});
const asked = (text: string) => ({
  headers: { host: text, 'x-forwarded-for': text, 'x-forwarded-host': text, 'x-forwarded-proto': text },
  socket: { remoteAddress: '127.0.0.1' },
});

interface Reader {
  readonly name: string;
  readonly valid: Uint8Array;
  /** Returns a falsy value if the bytes aren't readable. */
  read(bytes: Buffer): unknown;
}
const CAR = carKey(new Uint8Array(1));
/**
 * Returns an entry with the block and the block's CID. With any other CID, a changed block would be
 * rejected before it is read.
 */
const entryOf = (block: Uint8Array) => ({
  cid: cidText(0x71, block),
  parents: [],
  data: `M${Buffer.from(block).toString('base64')}`,
});
const base64Behind = (text: Buffer) => Buffer.from(text.toString('latin1').slice(1), 'base64');

const READERS: readonly Reader[] = [
  { name: 'a record of a device', valid: DEVICE, read: (bytes) => announcedIn(recordText(bytes)) },
  { name: 'a record that grants a key', valid: GRANT, read: (bytes) => parseKeyRecord(recordText(bytes)) },
  {
    name: 'the text of a record',
    valid: Buffer.from(recordText(DEVICE)),
    read: (bytes) => recordFields(bytes.toString('latin1')),
  },
  {
    name: 'the block of a meta entry',
    valid: Buffer.from(metaEntry([CAR]).data.slice(1), 'base64'),
    read: (bytes) => carsOf(entryOf(bytes))[0],
  },
  {
    name: 'the text of a meta entry',
    valid: Buffer.from(metaEntry([CAR]).data),
    read: (bytes) => carsOf({ ...entryOf(base64Behind(bytes)), data: bytes.toString('latin1') })[0],
  },
  { name: 'a sealed archive', valid: SEALED, read: (bytes) => sealedKeyOf(bytes) },
  {
    name: 'a key',
    valid: Buffer.from('z6MkpTHR8VNsBxYAAWHut2Geadd'),
    read: (bytes) => keyIdOf(bytes.toString('latin1')),
  },
  {
    name: 'the address that a proxy reports',
    valid: Buffer.from('203.0.113.9, 10.0.0.1'),
    read: (bytes) => clientAddress(asked(bytes.toString('latin1')), 1),
  },
  {
    name: 'the host that a request went to',
    valid: Buffer.from('https://notes.example:8443'),
    read: (bytes) => {
      const host = hostAskedFor(asked(bytes.toString('latin1')), 1);
      const { protocol, username, pathname } = new URL(origins.of(host));
      // Signed URLs begin with the origin, so the host must be valid.
      if (!/^https?:$/.test(protocol) || username !== '' || pathname !== '/') throw new Error(String(host));
      return origins.mayConnect(bytes.toString('latin1'), host) || host;
    },
  },
];

test.each(READERS)('[R20] reads or rejects input as $name', { timeout: patienceMs() }, ({ valid, read }) => {
  const random = seededRandom(seed() + valid.length);
  expect(read(Buffer.from(valid))).toBeTruthy();
  for (let index = 0; index < TRIES; index += 1) {
    const odd = Buffer.from(mutate(valid, random));
    const start = processorMs();
    read(odd);
    if (processorMs() - start > 1000) throw new Error(`takes too long: ${odd.toString('base64')}`);
  }
});

test(
  "[R20][S1] rejects requests and tokens of a device that the device's key did not sign",
  async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk: JWK = await exportJWK(publicKey);
    const at = 1_700_000_000;
    const sign = (claims: object, header: object, typ: string) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'ES256', typ, ...header })
        .setIssuedAt(at)
        .setExpirationTime(at + 60)
        .sign(privateKey);
    const csr = await sign(
      { csr: { publicKey: jwk, subject: { commonName: 'a device' } } },
      { jwk },
      'CSR+JWT',
    );
    const chain = JSON.stringify({ certificate: { subjectPublicKeyInfo: jwk } });
    const token = await sign({}, { x5c: [Buffer.from(chain).toString('base64')] }, 'JWT');
    const readers = [
      { valid: csr, read: (text: string) => readSigningRequest(text, at * 1000) },
      {
        valid: token,
        read: async (text: string) => {
          const key = await claimedDeviceKey(text);
          await verifyDeviceToken(text, key, at * 1000);
          return key;
        },
      },
    ];
    const luck = chance();
    const bytesOf = (text: string) =>
      text.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex'));
    for (const { valid, read } of readers) {
      const { hash } = await read(valid);
      let refused = 0;
      for (let index = 0; index < TRIES / 20; index += 1) {
        const odd = scribbled(valid, luck);
        try {
          const found = await read(odd);
          // Unused bits in the last letter of a part allow other spellings of the same bytes.
          if (found.hash !== hash || bytesOf(odd).join() !== bytesOf(valid).join())
            throw new Error(`accepted: ${odd}`);
        } catch (cause) {
          if (!isFixpointError(cause)) throw new Error(odd, { cause });
          refused += 1;
        }
      }
      expect(refused).toBeGreaterThan(TRIES * 0.04);
    }
  },
  patienceMs(),
);
