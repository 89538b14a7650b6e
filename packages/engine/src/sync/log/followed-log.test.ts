/**
 * Attacks on devices of a sealed ledger with a membership log, through `openSealedLedger`. The
 * gateway is modified: it shows each device the texts that the test chooses, and checks nothing.
 */
import { parseKeyRecord, type RotateRecord, recordText } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import { concatBytes, utf8 } from '../../base/bytes.ts';
import { encode } from '../../codec/dag-cbor.ts';
import { sha256 } from '../../codec/sha256.ts';
import { encodeRecord } from '../../crypto/ledger-key-records.ts';
import { newStart } from '../../crypto/log/start-entry.ts';
import { makeLogRotation, makeRotation } from '../../crypto/rotation-record.ts';
import { type LedgerKey, ledgerKey } from '../../crypto/sealed-object.ts';
import { bytesOf, keysNamed, personFields } from '../../membership/form/signed-log.fixture.ts';
import { LEDGER, logWorld, type TestDevice } from './ledger-devices.fixture.ts';

type World = ReturnType<typeof logWorld>;

const idOf = ({ keys }: TestDevice) => keys.devices().find(({ isThis }) => isThis)?.id as string;
const usersIn = ({ keys }: TestDevice) =>
  keys
    .keyring()
    .log?.members.map(({ user }) => user)
    .sort();
const hearAll = async (...devices: readonly TestDevice[]) => {
  for (const one of devices) await one.hear();
};

/** Makes a device remove others, and returns the texts of its request. */
async function remove(world: World, by: TestDevice, ...others: readonly TestDevice[]) {
  const texts = await by.keys.rotate(others.map(idOf));
  world.put(...texts);
  return texts;
}

interface Forged {
  readonly seen?: Iterable<string>;
  readonly recipients: readonly Uint8Array[];
  readonly changed?: (record: RotateRecord) => RotateRecord;
}

/** Returns a rotation with a `key` entry that a device signs for recipients of its choice. */
async function forgedRotation(world: World, by: TestDevice, { seen, recipients, changed }: Forged) {
  const { random } = world;
  const current = [...by.keys.all().values()].at(-1) as LedgerKey;
  const blank = await world.sign(by, { t: 'key', rot: new Uint8Array(48) }, seen);
  const { prev } = world.entriesIn(blank).at(-1) as { prev: readonly string[] };
  const given = { ledger: LEDGER, random, current, recipients, prev: prev.map(bytesOf), back: [current] };
  const { next, text: right } = await makeLogRotation(given);
  const text = changed ? encodeRecord(changed(parseKeyRecord(right) as RotateRecord)) : right;
  const rot = concatBytes([next.id, sha256(utf8(text))]);
  return { next, texts: [...(await world.sign(by, { t: 'key', rot }, seen)), text] };
}

describe('a removed member', () => {
  test('[S-3] gets no later key, whatever devices they announce, add or rotate for', async () => {
    const world = logWorld(1);
    const { F, W, X, R } = await world.team();
    const before = [...world.list];
    await remove(world, F, W);
    await hearAll(F, W, X, R);
    const key = F.seals();
    // W adds a hidden device, announces it, and rotates, all as if before the removal.
    const hidden = await world.device('W2');
    world.put(hidden.keys.announcement(), ...(await world.deviceEntry(W, W, hidden)));
    const own = [W.seal, hidden.seal, X.seal];
    const { texts } = await forgedRotation(world, W, { seen: before, recipients: own });
    world.put(...texts);
    await hearAll(F, X, R, hidden, W);
    expect([F, X, R].map((one) => one.seals())).toEqual([key, key, key]);
    expect([W, hidden].map((one) => one.seals())).toEqual(['DEVICE_NOT_APPROVED', 'DEVICE_NOT_APPROVED']);
    world.put(...(await X.keys.rotate([])));
    await hearAll(F, X, R, W, hidden);
    expect(X.seals()).not.toBe(key);
    for (const name of [key, X.seals()])
      expect([W, hidden].map(({ keys }) => keys.all().has(name))).toEqual([false, false]);
    expect(usersIn(R)).toEqual(['F', 'R', 'X']);
  });

  test('[S-5] loses the device that it and the gateway kept on its key when the removal arrives', async () => {
    const world = logWorld(2);
    const { F, W, X } = await world.team();
    const before = [...world.list];
    const evil = await forgedRotation(world, W, { seen: before, recipients: world.recipients(before) });
    await remove(world, F, W);
    await F.hear();
    await X.hear([...before, ...evil.texts]);
    expect(X.seals()).toBe(evil.next.name);
    world.put(...evil.texts);
    await hearAll(X, F);
    expect(X.seals()).toBe(F.seals());
    expect(X.seals()).not.toBe(evil.next.name);
    // A rotation of the former kind, whose proof is right, isn't followed either.
    const current = X.keys.current();
    const stray = await makeRotation({ ledger: LEDGER, random: world.random, current }, [X.seal], () => {
      throw new Error('skipped');
    });
    world.put(encodeRecord(stray));
    await X.hear();
    expect(X.seals()).toBe(current.name);
  });

  test('[S-5] never comes back when the gateway hides the removal again, also after a restart', async () => {
    const world = logWorld(3);
    const { F, W, X } = await world.team();
    const before = [...world.list];
    const texts = await remove(world, F, W);
    await hearAll(F, X);
    const key = X.seals();
    const evil = await forgedRotation(world, W, { seen: before, recipients: world.recipients(before) });
    const again = await world.again(X);
    expect(again.seals()).toBe(key);
    for (const one of [X, again]) {
      await one.hear([...before, ...evil.texts]);
      expect([one.seals(), usersIn(one)]).toEqual([key, ['F', 'R', 'X']]);
    }
    // The device puts the entries again that the list lacks, together with the rotation.
    expect(world.puts.slice(-2)).toEqual([texts, texts]);
    await again.hear([]);
    expect(again.seals()).toBe(key);
  });

  test('[S-11] makes no device create a first key, by showing it an empty list', async () => {
    const world = logWorld(4);
    const { F, W } = await world.team();
    await remove(world, F, W);
    await W.hear();
    const again = await world.again(W);
    const puts = world.puts.length;
    await again.hear([]);
    const put = world.puts.slice(puts).flat();
    expect(put.flatMap((text) => parseKeyRecord(text)?.t ?? [])).not.toContain('grant');
    expect(again.seals()).toBe('DEVICE_NOT_APPROVED');
  });
});

describe('a member', () => {
  test('[S-6] excludes nobody with a rotation for others, a wrong box, or a removal', async () => {
    const world = logWorld(5);
    const { F, W, X, R } = await world.team();
    const key = F.seals();
    const few = await forgedRotation(world, W, { recipients: [W.seal] });
    const spoilt = (record: RotateRecord) => ({
      ...record,
      boxes: record.boxes.map((box, at) => (at === 1 ? box.map((byte) => byte ^ 1) : box)),
    });
    const wrong = await forgedRotation(world, W, { recipients: world.recipients(), changed: spoilt });
    const removals = await Promise.all(
      [W, R].map((by) => world.sign(by, { t: 'remove', person: bytesOf(world.personOf(X)) })),
    );
    world.put(...few.texts, ...wrong.texts, ...removals.flat());
    await hearAll(F, W, X, R);
    expect([F, X, R].map((one) => one.seals())).toEqual([key, key, key]);
    expect(usersIn(F)).toEqual(['F', 'R', 'W', 'X']);
    const ignored = F.keys.keyring().log?.ignored.map(({ rule, signer }) => [rule, signer]);
    expect(ignored?.sort()).toEqual([
      ['C11', 'R'],
      ['C11', 'W'],
    ]);
    for (const by of [W, R])
      await expect(by.keys.rotate([idOf(X)])).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await X.sends()).toBe(key);
  });

  test('[S-6] evicts nobody by putting, owning or deleting the records of others', async () => {
    const world = logWorld(6);
    const { F, X } = await world.team();
    const key = X.seals();
    const records = [...world.list].filter((text) => text.startsWith('S1.'));
    for (const text of records) world.list.delete(text);
    for (const one of [F, X]) await one.hear(world.list, []);
    // Without any record, and although the gateway reports no device, nobody is rotated away.
    expect([await F.sends(), await X.sends()]).toEqual([key, key]);
    expect((await world.again(X)).seals()).toBe(key);
  });

  test('[S-4] stops no rotation with bytes that are no public key', async () => {
    const world = logWorld(7);
    const { F, X, R } = await world.team();
    const { seen: _, ...fields } = await personFields('B', await keysNamed('B'));
    const [right = ''] = await world.sign(F, { t: 'person', ...fields, role: 'read' });
    const { seal, ...others } = world.fieldsOf(right);
    const text = recordText(encode({ ...others, seal: Uint8Array.of(4, ...world.random.bytes(64)) }), 'S2.');
    expect(seal).toBeDefined();
    const point = recordText(encode({ t: 'device', pub: Uint8Array.of(4, ...world.random.bytes(64)) }));
    world.put(text, point);
    await hearAll(F, X, R);
    world.put(...(await X.keys.rotate([])));
    await hearAll(F, X, R);
    expect([F.seals(), R.seals()]).toEqual([X.seals(), X.seals()]);
    expect(usersIn(F)).toEqual(['F', 'R', 'W', 'X']);
  });
});

describe('a device that follows a log', () => {
  test('[S-12] receives all earlier keys with the current one, however many there are', async () => {
    const world = logWorld(8);
    const { F, X } = await world.team();
    const names = [F.seals()];
    for (let n = 0; n < 5; n++) {
      world.put(...(await (n % 2 === 0 ? X : F).keys.rotate([])));
      await hearAll(F, X);
      names.push(F.seals());
    }
    expect(new Set(names).size).toBe(6);
    const late = await world.admitted(F, 'L', 'read');
    expect([...late.keys.all().keys()].sort()).toEqual([...names].sort());
    expect(late.seals()).toBe(names.at(-1));
  });

  test('[D1] seals nothing after a removal without a rotation, until a writer rotates', async () => {
    const world = logWorld(9);
    const { F, W, X, R } = await world.team();
    const old = X.seals();
    world.put(...(await world.sign(F, { t: 'remove', person: bytesOf(world.personOf(W)) })));
    await hearAll(X, R);
    expect([X.seals(), R.seals()]).toEqual(['KEY_INVALID', 'KEY_INVALID']);
    expect(X.keys.keyring().log?.waits).toBe('KEY_INVALID');
    await expect(R.sends()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const key = await X.sends();
    expect(key).not.toBe(old);
    expect(world.puts.at(-1)?.map((text) => text.slice(0, 3))).toEqual(['S2.', 'S1.']);
    await hearAll(F, R, W);
    expect([F.seals(), R.seals(), W.seals()]).toEqual([key, key, 'DEVICE_NOT_APPROVED']);
    expect(W.keys.all().has(key)).toBe(false);
  });

  test('[D1] rotates again if the gateway withholds the record of a removal', async () => {
    const world = logWorld(10);
    const { F, W, X } = await world.team();
    const texts = await remove(world, F, W);
    await X.hear([...world.list].filter((text) => text !== texts.at(-1)));
    expect(X.seals()).toBe('KEY_INVALID');
    const key = await X.sends();
    await hearAll(F, W, X);
    expect([F.seals(), X.seals(), W.keys.all().has(key)]).toEqual([key, key, false]);
  });

  test('[C12] removes a device of its own person, and no more', async () => {
    const world = logWorld(11);
    const { F, W, X } = await world.team();
    const more = await world.device('W2');
    world.put(more.keys.announcement(), ...(await world.deviceEntry(W, W, more)));
    world.put(await world.grant(W, more));
    await hearAll(more, W, X, F);
    expect(more.seals()).toBe(W.seals());
    await remove(world, W, more);
    await hearAll(more, W, X, F);
    expect([more.seals(), W.seals() === X.seals()]).toEqual(['DEVICE_NOT_APPROVED', true]);
    expect(usersIn(F)).toEqual(['F', 'R', 'W', 'X']);
    await expect(W.keys.rotate([idOf(F)])).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(W.keys.rotate(['00'])).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('[L1, F10] reports a second log and copies of a device once, and continues', async () => {
    const world = logWorld(12);
    const { F, X } = await world.team();
    const key = X.seals();
    world.put(await otherStart(world, F.keys.current()));
    await hearAll(F, X);
    await X.hear();
    expect(X.reports.map(({ code }) => code)).toEqual(['LEDGER_FORKED']);
    const { log } = X.keys.keyring();
    const [own, second] = [
      log?.id,
      world.entriesIn(world.list).filter(({ kind }) => kind === 'start')[1]?.id,
    ];
    expect([X.seals(), log?.forks]).toEqual([
      key,
      [{ kind: 'logs', sides: [own, second], signer: undefined }],
    ]);
    expect(X.reports[0]).toMatchObject({ message: expect.stringContaining(`${own} and ${second}`) });
    const copied = logWorld(13);
    const other = await copied.team();
    for (const name of ['P', 'Q']) {
      const { seen: _, ...fields } = await personFields(name, await keysNamed(name));
      copied.put(...(await copied.sign(other.F, { t: 'person', ...fields, role: 'read' }, copied.first)));
    }
    await other.X.hear();
    expect(other.X.reports.map(({ code }) => code)).toEqual(['LEDGER_FORKED']);
    expect(other.X.keys.keyring().log?.forks).toMatchObject([
      { kind: 'copies', signer: 'F' },
      { kind: 'copies', signer: 'F' },
    ]);
  });

  test('[N4] shows equal safety numbers on devices that know the same, and others after a change', async () => {
    const world = logWorld(16);
    const { F, W, X } = await world.team();
    const numberOf = ({ keys }: TestDevice) => keys.keyring().log?.safetyNumber;
    const before = numberOf(X);
    expect(before).toMatch(/^\d{60}$/);
    expect(numberOf(F)).toBe(before);
    await remove(world, F, W);
    await F.hear();
    expect(numberOf(F)).not.toBe(before);
    expect(numberOf(X)).toBe(before);
    await X.hear();
    expect(numberOf(X)).toBe(numberOf(F));
  });

  test('[N5] reports with both entries that the gateway withholds a part of the log for a minute', async () => {
    const world = logWorld(17);
    const { F, X } = await world.team();
    const seen = [...world.list];
    const hidden = await world.sign(F, { t: 'leave' });
    world.put(...hidden);
    const later = await world.sign(F, { t: 'leave' });
    const without = [...seen, ...later];
    await X.hear(without);
    await world.time.pass(59_000);
    await X.hear(without);
    expect(X.reports).toEqual([]);
    await world.time.pass(2000);
    await X.hear(without);
    await X.hear(without);
    const [missing, by] = [...hidden, ...later].map((text) => world.entriesIn([text])[0]?.id);
    expect(X.reports.map(({ code }) => code)).toEqual(['LEDGER_FORKED']);
    expect(X.reports[0]).toMatchObject({ message: expect.stringContaining(`${missing} and ${by}`) });
    // An honest gateway may show them late.
    world.put(...later);
    await X.hear();
    expect(X.keys.keyring().log?.forks).toEqual([]);
  });

  test('[M5] lists devices whose users have no access at the gateway, and signs nothing for that', async () => {
    const world = logWorld(18);
    const { F, W, X } = await world.team();
    const key = F.seals();
    const announced = [F, X].map(({ seal }) => ({ pub: Buffer.from(seal).toString('base64url') }));
    await F.hear(world.list, announced);
    expect(F.keys.keyring().log?.withoutAccess).toContain(idOf(W));
    expect(F.keys.keyring().log?.withoutAccess).not.toContain(idOf(X));
    expect(await F.sends()).toBe(key);
    await F.hear();
    expect(F.keys.keyring().log?.withoutAccess).toEqual([]);
  });

  test('[F14] seals nothing while the list has a form that it does not know', async () => {
    const world = logWorld(14);
    const { X } = await world.team();
    world.put('S3.oA');
    await X.hear();
    expect(X.seals()).toBe('FORMAT_NEWER');
  });

  test('[L1, L2] seals nothing while the gateway withholds the log of its grant', async () => {
    const world = logWorld(15);
    const { F } = await world.team();
    const made = await world.device('N');
    world.put(made.keys.announcement(), await world.grant(F, made));
    await made.hear([...world.list].filter((text) => !text.startsWith('S2.')));
    const state = () => [made.keys.log(), made.keys.isApproved(), made.seals()];
    expect(state()).toEqual([undefined, false, 'DEVICE_NOT_APPROVED']);
    // A device without a seat seals nothing, either.
    await made.hear();
    expect(state()).toEqual([F.keys.log(), false, 'DEVICE_NOT_APPROVED']);
  });
});

/** Returns the start of another log, whose author knows this data key. */
async function otherStart(world: World, key: LedgerKey, name = 'Eve'): Promise<string> {
  const place = { ledger: LEDGER, user: name, name, key, timeMs: 1, random: world.random };
  return newStart({ ...place, device: await keysNamed(name), code: await keysNamed(`code of ${name}`) });
}

describe('a device that knows no log', () => {
  /** A ledger with two devices that had the data key before the first one started a log. */
  async function before(seed: number) {
    const world = logWorld(seed);
    const F = await world.device('F');
    await F.hear([]);
    const old = await world.device('O');
    world.put(old.keys.announcement());
    await F.hear();
    world.put(await world.grant(F, old));
    await hearAll(old, F);
    return { world, F, old, key: F.seals() };
  }

  test('[L3] continues under its key until the log has a rotation, then waits, also after a restart', async () => {
    const { world, F, old, key } = await before(21);
    const without = [...world.list];
    await F.start();
    await hearAll(F, old);
    expect([old.seals(), old.keys.keyring().log]).toMatchObject([key, { isCompared: false }]);
    expect(await old.sends()).toBe(key);
    world.put(...(await F.keys.rotate([])));
    await hearAll(F, old);
    expect(old.seals()).toBe('LEDGER_NOT_COMPARED');
    const again = await world.again(old);
    await again.hear(without);
    expect(again.seals()).toBe('LEDGER_NOT_COMPARED');
    // The grant of a member brings the id. The device then has no seat.
    world.put(await world.grant(F, again));
    await again.hear();
    expect([again.keys.log(), again.seals()]).toEqual([F.keys.log(), 'DEVICE_NOT_APPROVED']);
  });

  test('[L3] ignores a log whose author does not know its data key', async () => {
    const { world, F, old, key } = await before(22);
    const guessed = { ...ledgerKey(world.random.bytes(32)), id: F.keys.current().id };
    world.put(
      await otherStart(world, guessed),
      await otherStart(world, ledgerKey(world.random.bytes(32)), 'Mel'),
    );
    await old.hear();
    expect([old.seals(), old.keys.keyring().log, old.reports]).toEqual([key, undefined, []]);
  });

  test('[T66, L2] takes none of two logs, and seals nothing', async () => {
    const { world, F, old } = await before(23);
    world.put(await otherStart(world, F.keys.current()), await otherStart(world, F.keys.current(), 'Mel'));
    await old.hear();
    expect(old.seals()).toBe('LEDGER_FORKED');
    expect(old.reports.map(({ code }) => code)).toEqual(['LEDGER_FORKED']);
  });

  test('[L2] never takes a data key from a log that only the gateway shows', async () => {
    const world = logWorld(24);
    const made = await world.device('N');
    await made.hear(['S1.x']);
    const evil = ledgerKey(world.random.bytes(32));
    world.put(await otherStart(world, evil));
    await made.hear();
    expect([made.keys.isApproved(), made.seals(), made.keys.all().size]).toEqual([
      false,
      'DEVICE_NOT_APPROVED',
      0,
    ]);
  });
});
