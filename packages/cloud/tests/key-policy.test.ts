/**
 * Tests who may put and remove which records in the key list of a sealed ledger
 * (docs/decisions/0133).
 */
import { expect, onTestFinished, test } from 'vitest';
import {
  about,
  bind,
  carKey,
  httpClient,
  type Ledger,
  metaEntry,
  newLedger,
  newMember,
  putMetas,
  putObject,
  socketClient,
  type TestCloud,
  testCloud,
} from './cloud.fixture.ts';
import { device, grant, keyId, lock, publicKey, recordOf, rotation } from './key-records.fixture.ts';

type Person = Awaited<ReturnType<typeof personOf>>;

async function personOf(cloud: TestCloud, ledger: Ledger) {
  const client = await httpClient(cloud, ledger);
  const put = (...keys: string[]) => putMetas(client, ledger, [], keys);
  const taken = async (...keys: string[]) => {
    const { type, code } = await put(...keys);
    return type === 'resPutMeta' ? 'taken' : code;
  };
  const withdraw = async (...keys: string[]) => {
    const fields = { ...about(ledger, 'meta', 'DELETE'), meta: { metas: [], keys } };
    const { type, code } = await client.request('reqDelMeta', fields);
    return type === 'resDelMeta' ? 'withdrawn' : code;
  };
  const heard = () => client.request('bindGetMeta', bind(ledger));
  return { ...ledger, client, put, taken, withdraw, heard, pub: publicKey() };
}

/**
 * Creates a sealed ledger with an admin, two writers and a reader. Each of them has a device with
 * the first key.
 */
async function sealedLedger() {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const admin = await personOf(cloud, notes);
  const ada = await personOf(cloud, await newMember(cloud, notes, 'write'));
  const bob = await personOf(cloud, await newMember(cloud, notes, 'write'));
  const reader = await personOf(cloud, await newMember(cloud, notes, 'read'));
  const first = keyId();
  expect(await admin.taken(device(admin.pub), grant(admin.pub, undefined, { key: first }))).toBe('taken');
  for (const one of [ada, bob, reader]) {
    expect(await one.taken(device(one.pub))).toBe('taken');
    expect(await admin.taken(grant(one.pub, undefined, { key: first }))).toBe('taken');
  }
  /**
   * Removes a person's right to the ledger. The gateway caches rights for up to five seconds, so
   * tests poll for the effect.
   */
  const remove = async ({ userId }: Person) => {
    for (const table of ['LedgerUsers', 'TenantUsers'] as const)
      await cloud.db.deleteFrom(table).where('userId', '=', userId).execute();
  };
  return { cloud, notes, admin, ada, bob, reader, first, remove, all: [admin, ada, bob, reader] };
}

const pubsOf = (...people: readonly { pub: Buffer }[]) => people.map(({ pub }) => pub);

test('[S4][R20] rejects records with invalid public keys, and records in an invalid form', async () => {
  const { ada, reader } = await sealedLedger();
  const bad = Buffer.alloc(65, 4);
  for (const person of [ada, reader]) {
    const refused = person === ada ? 'REQUEST_INVALID' : 'FORBIDDEN';
    expect(await person.taken(device(bad))).toBe(refused);
    expect(await person.taken(grant(bad))).toBe(refused);
    expect(await person.taken(grant(bad, lock()))).toBe(refused);
  }
  expect(await ada.taken(rotation(keyId(), [bad]))).toBe('REQUEST_INVALID');
  const unsorted = recordOf([
    ['pub', publicKey()],
    ['t', 'device'],
  ]);
  expect(await reader.taken(unsorted)).toBe('FORBIDDEN');
  // The gateway accepts types of records that a later version may write.
  expect(await ada.taken(recordOf([['t', 'lend']]))).toBe('taken');
});

test('[S5] rejects grants and rotations for a device key that nobody with access announced', async () => {
  const { admin, ada, bob, first, remove, all } = await sealedLedger();
  const hidden = publicKey();
  for (const person of [admin, ada]) {
    expect(await person.taken(grant(hidden))).toBe('FORBIDDEN');
    expect(await person.taken(rotation(first, [...pubsOf(...all), hidden]))).toBe('CONFLICT');
  }
  expect(await ada.taken(device(hidden), grant(hidden))).toBe('taken');
  expect(await bob.withdraw(device(bob.pub))).toBe('withdrawn');
  expect(await ada.taken(grant(bob.pub))).toBe('FORBIDDEN');
  expect(await ada.taken(rotation(first, pubsOf(...all)))).toBe('CONFLICT');
  await remove(bob);
  await expect.poll(() => bob.taken(grant(hidden))).toMatch(/NOT_FOUND|FORBIDDEN/);
});

test("[S5] lets only admins omit other users' devices from a rotation, and lets writers omit their own", async () => {
  const { admin, ada, bob, reader, first, all } = await sealedLedger();
  // Answers CONFLICT, because grants of the previous key to other devices may have arrived after
  // ada created the rotation.
  expect(await ada.taken(rotation(first, [ada.pub]))).toBe('CONFLICT');
  const second = keyId();
  expect(await ada.taken(rotation(first, pubsOf(...all), second))).toBe('taken');
  expect(await ada.taken(rotation(second, pubsOf(admin, ada, reader)))).toBe('FORBIDDEN');
  expect(await reader.taken(rotation(second, pubsOf(...all)))).toBe('FORBIDDEN');
  const third = keyId();
  expect(await bob.taken(rotation(second, pubsOf(admin, ada, reader), third))).toBe('taken');
  expect(await admin.taken(rotation(third, pubsOf(admin)))).toBe('taken');
});

test('[S5] accepts one rotation of a key and rejects the second', async () => {
  const { ada, bob, first, all } = await sealedLedger();
  const [one, other] = [rotation(first, pubsOf(...all)), rotation(first, pubsOf(...all))];
  const answers = await Promise.all([ada.taken(one), bob.taken(other)]);
  expect(answers.sort()).toEqual(['CONFLICT', 'taken']);
  const { meta } = await ada.heard();
  const winner = meta.keys.includes(one) ? one : other;
  for (const person of [ada, bob]) expect(await person.taken(winner)).toBe('taken');
});

test('[S5] accepts a rotation despite an unreadable grant by a reader', async () => {
  const { ada, reader, first, all } = await sealedLedger();
  const noise = publicKey();
  expect(await reader.taken(device(noise))).toBe('taken');
  expect(await reader.taken(grant(noise, undefined, { key: first }))).toBe('taken');
  expect(await ada.taken(rotation(first, pubsOf(...all)))).toBe('taken');
});

test("[S1] keeps the owner of a device record while the owner has access, and rejects a recovery code with the device's key", async () => {
  const { cloud, admin, ada, bob, remove } = await sealedLedger();
  const ownerOf = async (keyText: string) =>
    (await cloud.db.selectFrom('LedgerKeys').select('userId').where('keyText', '=', keyText).execute())[0]
      ?.userId;
  const record = device(bob.pub);
  expect(await ada.taken(record)).toBe('taken');
  expect(await ownerOf(record)).toBe(bob.userId);
  expect(await ada.taken(grant(bob.pub, lock()))).toBe('FORBIDDEN');
  await remove(bob);
  await expect.poll(async () => (await admin.put(record)) && ownerOf(record)).toBe(admin.userId);
});

test('[S1] lets users remove only their own records, and lets admins remove any record', async () => {
  const { admin, ada, bob, reader } = await sealedLedger();
  const opaque = 'S1.own';
  await ada.put(opaque);
  for (const person of [bob, reader]) expect(await person.withdraw(opaque)).toBe('FORBIDDEN');
  expect(await bob.withdraw(device(ada.pub), device(bob.pub))).toBe('withdrawn');
  const keysNow = async () => new Set<string>((await admin.heard()).meta.keys);
  expect([(await keysNow()).has(device(ada.pub)), (await keysNow()).has(device(bob.pub))]).toEqual([
    true,
    false,
  ]);
  // Readers get FORBIDDEN if the request contains none of their own records.
  for (const named of [[], ['zNowhere'], [device(ada.pub)]])
    expect(await reader.withdraw(...named)).toBe('FORBIDDEN');
  expect(await reader.withdraw(device(reader.pub), device(ada.pub))).toBe('withdrawn');
  expect((await keysNow()).has(device(ada.pub))).toBe(true);
  expect(await admin.withdraw(opaque, device(ada.pub))).toBe('withdrawn');
  expect((await keysNow()).has(opaque)).toBe(false);
  expect(await ada.withdraw('S1.nowhere')).toBe('withdrawn');
  // Ada owns the record again after putting it again.
  expect(await ada.taken(device(ada.pub))).toBe('taken');
  expect((await keysNow()).has(device(ada.pub))).toBe(true);
});

test('[S1] lets writers remove only their own raw keys from an open-key ledger, and lets readers remove none', async () => {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const admin = await personOf(cloud, notes);
  const ada = await personOf(cloud, await newMember(cloud, notes, 'write'));
  const reader = await personOf(cloud, await newMember(cloud, notes, 'read'));
  for (const [person, key] of [
    [admin, 'zAdmin'],
    [ada, 'zAda'],
  ] as const) {
    const bytes = new Uint8Array(Buffer.from(key));
    expect(await putObject(person.client, notes, carKey(bytes), bytes)).toBe(200);
    expect((await putMetas(person.client, notes, [metaEntry([carKey(bytes)])], [key])).type).toBe(
      'resPutMeta',
    );
  }
  for (const person of [ada, reader]) expect(await person.withdraw('zAdmin')).toBe('FORBIDDEN');
  expect(await ada.withdraw('zAda')).toBe('withdrawn');
  expect((await admin.heard()).meta.keys).toEqual(['zAdmin']);
});

test('[S5] reports who announced each device, and reports all device records of removed members', async () => {
  const { cloud, notes, admin, ada, bob, remove, all } = await sealedLedger();
  const follower = await socketClient(cloud, notes);
  onTestFinished(() => follower.close());
  await follower.request('bindGetMeta', bind(notes));
  const devicesNow = async () => {
    const { devices } = await admin.heard();
    return new Map<string, { user: string; since: string }>(
      devices.map((one: { pub: string }) => [one.pub, one]),
    );
  };
  const text = ({ pub }: { pub: Buffer }) => pub.toString('base64url');
  const before = await devicesNow();
  expect([...before.keys()].sort()).toEqual(all.map(text).sort());
  expect(before.get(text(ada))).toMatchObject({ user: ada.userId });
  expect(Date.parse(before.get(text(ada))?.since ?? '')).toBeGreaterThan(0);

  expect(await ada.withdraw(device(ada.pub))).toBe('withdrawn');
  expect((await devicesNow()).has(text(ada))).toBe(false);
  await remove(ada);
  await remove(bob);
  await expect
    .poll(async () => (await admin.heard()).removed)
    .toEqual([device(ada.pub), device(bob.pub)].sort());
  expect((await devicesNow()).has(text(bob))).toBe(false);
  await expect
    .poll(() => follower.events.at(-1).devices?.map(({ pub }: { pub: string }) => pub))
    .not.toContain(text(bob));
});

test('tells only the user who asked that a request was removed, until it is put again', async () => {
  const { cloud, admin, ada, bob } = await sealedLedger();
  const [first, second] = [publicKey(), publicKey()];
  const text = (pub: Buffer) => pub.toString('base64url');
  const code = grant(publicKey(), lock());
  for (const record of [device(first), device(second), code]) expect(await ada.taken(record)).toBe('taken');
  const follower = await socketClient(cloud, ada);
  onTestFinished(() => follower.close());
  await follower.request('bindGetMeta', bind(ada));
  const told = async (...people: Person[]) =>
    Promise.all(people.map(async (one) => (await one.heard()).rejected));
  expect(await told(ada, bob, admin)).toEqual([undefined, undefined, undefined]);
  for (const record of [device(first), device(second), code]) await admin.withdraw(record);
  const both = [text(first), text(second)].sort();
  expect(await told(ada, bob, admin)).toEqual([both, undefined, undefined]);
  await expect.poll(() => follower.events.at(-1).rejected).toEqual(both);
  expect(await ada.taken(device(second))).toBe('taken');
  expect(await told(ada)).toEqual([[text(first)]]);
  await expect.poll(() => follower.events.at(-1).rejected).toEqual([text(first)]);
  expect(await ada.taken(device(first))).toBe('taken');
  expect(await told(ada)).toEqual([undefined]);
});

test('[S1] lets a reader who removed records put more records, within a limit', async () => {
  const { reader } = await sealedLedger();
  for (let n = 0; n < 3; n++) {
    const added = Array.from({ length: 19 }, () => device());
    expect(await reader.taken(...added)).toBe('taken');
    expect(await reader.taken(device())).toBe('LIMIT_REACHED');
    expect(await reader.withdraw(...added)).toBe('withdrawn');
  }
  let answer = 'taken';
  for (let n = 0; n < 10 && answer === 'taken'; n++) {
    const added = Array.from({ length: 19 }, () => device());
    answer = await reader.taken(...added);
    await reader.withdraw(...added);
  }
  expect(answer).toBe('LIMIT_REACHED');
});
