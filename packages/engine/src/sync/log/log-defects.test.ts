/**
 * Ways to lead a device of a sealed ledger into a log that isn't the ledger's, to lock it out, or
 * to lose what it signed. The gateway is modified: it shows each device the texts that the test
 * chooses, and checks nothing.
 */
import {
  decodeEntry,
  type EntryFields,
  type EntryId,
  parseKeyRecord,
  type RotateRecord,
} from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import { concatBytes, hex, utf8 } from '../../base/bytes.ts';
import { sha256 } from '../../codec/sha256.ts';
import { readDeviceCode } from '../../crypto/device-pair.ts';
import { makeGrant } from '../../crypto/grant.ts';
import { encodeRecord } from '../../crypto/ledger-key-records.ts';
import { newStart } from '../../crypto/log/start-entry.ts';
import { makeLogRotation } from '../../crypto/rotation-record.ts';
import { type LedgerKey, ledgerKey } from '../../crypto/sealed-object.ts';
import {
  bytesOf,
  keysNamed,
  linkFields,
  personFields,
  written,
} from '../../membership/form/signed-log.fixture.ts';
import { LEDGER, logWorld, type TestDevice } from './ledger-devices.fixture.ts';

type World = ReturnType<typeof logWorld>;

const idOf = ({ keys }: TestDevice) => keys.devices().find(({ isThis }) => isThis)?.id as string;
const codes = (one: TestDevice) => one.reports.map(({ code }) => code);
const hearAll = async (...devices: readonly TestDevice[]) => {
  for (const one of devices) await one.hear();
};
const idIn = (text: string): EntryId => decodeEntry(text, sha256).entry.id;
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (cause: { code?: string }) => cause.code,
  );

/** A ledger without a log, with devices that have its data key. */
async function plain(seed: number, ...names: readonly string[]) {
  const world = logWorld(seed);
  const F = await world.device('F');
  await F.hear([]);
  const others: TestDevice[] = [];
  for (const name of names) {
    const made = await world.device(name);
    world.put(made.keys.announcement());
    await F.hear();
    world.put(await world.grant(F, made));
    others.push(made);
    await hearAll(...others, F);
  }
  return { world, F, others: others as [TestDevice, TestDevice] };
}

/** The log that an attacker starts with a data key that they know. */
async function strangeLog(world: World, key: LedgerKey, name = 'Eve') {
  const eve = await keysNamed(name);
  const place = { ledger: LEDGER, user: name, name, key, timeMs: 1, random: world.random };
  const start = await newStart({ ...place, device: eve, code: await keysNamed(`code of ${name}`) });
  const id = idIn(start);
  const rotate = async (fields: EntryFields) =>
    (await written({ ...linkFields('key', id, [id]), ...fields }, { signer: eve.signer })).text;
  return {
    ...{ start, id },
    /** A `key` entry whose record nobody has. */
    blank: () => rotate({ rot: world.random.bytes(48) }),
    /** A `key` entry with its record for these recipients. */
    rotation: async (
      recipients: readonly Uint8Array[],
      changed: (record: RotateRecord) => RotateRecord = (record) => record,
    ) => {
      const given = { ledger: LEDGER, random: world.random, current: key, recipients, back: [key] };
      const { next, text } = await makeLogRotation({ ...given, prev: [bytesOf(id)] });
      const record = encodeRecord(changed(parseKeyRecord(text) as RotateRecord));
      return [await rotate({ rot: concatBytes([next.id, sha256(utf8(record))]) }), record];
    },
  };
}

describe('a device of a ledger without a log', () => {
  test('[H1] is not stopped by a removed member who starts a log with an earlier key', async () => {
    const { world, F, others } = await plain(31, 'W', 'O');
    const [W, O] = others;
    const stolen = W.keys.current();
    world.put(...(await F.keys.rotate([idOf(W)])));
    await hearAll(F, O);
    const key = O.seals();
    expect(key).not.toBe(stolen.name);
    const evil = await strangeLog(world, stolen);
    world.put(evil.start, ...(await evil.rotation([O.seal])));
    await O.hear();
    expect([O.seals(), O.keys.keyring().log, codes(O)]).toEqual([key, undefined, []]);
    // It may still remove somebody.
    expect(await O.keys.rotate([])).toHaveLength(1);
    expect((await world.again(O)).seals()).toBe(key);
  });

  test('[H1] is not stopped by a rotation without a record, or whose record is not right', async () => {
    const { world, others } = await plain(32, 'W', 'O');
    const [W, O] = others;
    const key = O.seals();
    const spoilt = (record: RotateRecord) => ({
      ...record,
      boxes: record.boxes.map((box) => box.map((byte) => byte ^ 1)),
    });
    const unproven = (record: RotateRecord) => ({ ...record, proof: record.proof.map((byte) => byte ^ 1) });
    const evil = await strangeLog(world, W.keys.current());
    world.put(evil.start, await evil.blank());
    world.put(...(await evil.rotation([O.seal], spoilt)), ...(await evil.rotation([W.seal], unproven)));
    await O.hear();
    expect([O.seals(), O.keys.keyring().log?.isCompared]).toEqual([key, false]);
    expect(await O.sends()).toBe(key);
  });

  test('[H1, L3] waits until its user dismisses a log of a member, also after a restart', async () => {
    const { world, others } = await plain(33, 'W', 'O');
    const [W, O] = others;
    const key = O.seals();
    const evil = await strangeLog(world, W.keys.current());
    world.put(evil.start, ...(await evil.rotation([O.seal])));
    await O.hear();
    const again = await world.again(O);
    expect([O.seals(), again.seals()]).toEqual(['LEDGER_NOT_COMPARED', 'LEDGER_NOT_COMPARED']);
    await O.keys.dismissLog(evil.id);
    await O.hear();
    expect([O.seals(), O.keys.keyring().log]).toEqual([key, undefined]);
    const later = await world.again(O);
    await later.hear();
    expect([later.seals(), later.keys.keyring().log]).toEqual([key, undefined]);
  });

  test('[H1, L3] finds the log of its ledger behind any number of others', async () => {
    const { world, F, others } = await plain(40, 'O');
    const [O] = others;
    const key = F.keys.current();
    // Anybody can write the name of the key into a start, but not its proof.
    const wrong = { ...key, material: world.random.bytes(32) };
    const foreign = ledgerKey(world.random.bytes(32));
    const evil = await Promise.all(
      Array.from({ length: 40 }, (_, n) => strangeLog(world, n % 8 === 0 ? wrong : foreign, `Eve ${n}`)),
    );
    await F.start();
    world.put(...(await F.keys.rotate([])));
    const list = [...evil.map(({ start }) => start), ...world.list];
    const again = await world.again(O);
    for (const one of [O, again]) {
      await one.hear(list);
      expect(one.seals()).toBe('LEDGER_NOT_COMPARED');
      expect(one.keys.keyring().log?.id).toBe(hex(F.keys.log() as Uint8Array));
    }
    // The others alone don't stop it.
    const other = await plain(41, 'P');
    const [P] = other.others;
    const own = P.seals();
    await P.hear([...evil.map(({ start }) => start), ...other.world.list]);
    expect([P.seals(), P.keys.keyring().log]).toEqual([own, undefined]);
  });

  test('[H1, L3] finds a log whose start proves an earlier key of the device', async () => {
    const { world, F, others } = await plain(42, 'O');
    const [O] = others;
    const foreign = ledgerKey(world.random.bytes(32));
    const evil = await Promise.all(
      Array.from({ length: 35 }, (_, n) => strangeLog(world, foreign, `Eve ${n}`)),
    );
    const log = await strangeLog(world, F.keys.current());
    world.put(...(await F.keys.rotate([])));
    await hearAll(F, O);
    expect(O.keys.all().size).toBe(2);
    await O.hear([...evil.map(({ start }) => start), log.start, ...world.list]);
    // It doesn't prove the current key, so it stops nobody.
    expect([O.seals(), O.keys.keyring().log]).toEqual([F.seals(), undefined]);
  });

  test('[L3] follows a log once its user compared it', async () => {
    const { world, F, others } = await plain(34, 'O');
    const [O] = others;
    await F.start();
    world.put(...(await F.keys.rotate([])));
    await hearAll(F, O);
    expect(O.seals()).toBe('LEDGER_NOT_COMPARED');
    await O.keys.acceptLog(O.keys.keyring().log?.id as string);
    expect([O.keys.log(), O.seals(), O.keys.keyring().log?.isCompared]).toEqual([
      F.keys.log(),
      'DEVICE_NOT_APPROVED',
      true,
    ]);
  });

  test('[H2, L2] takes no log that the list does not start, or that proves no data key', async () => {
    const { world, F, others } = await plain(35, 'O');
    const [O] = others;
    const key = O.seals();
    const evil = await strangeLog(world, { ...F.keys.current(), material: world.random.bytes(32) });
    world.put(await world.grant(F, O, world.random.bytes(32)), await world.grant(F, O, bytesOf(evil.id)));
    world.put(evil.start);
    const made = await world.device('N');
    world.put(made.keys.announcement(), await world.grant(F, made, world.random.bytes(32)));
    await hearAll(O, made);
    expect([O.keys.log(), O.seals()]).toEqual([undefined, key]);
    expect([made.keys.log(), made.seals()]).toEqual([undefined, 'DEVICE_NOT_APPROVED']);
    // The right grant still counts.
    world.put(await world.grant(F, made));
    await made.hear();
    expect([made.keys.log(), made.seals()]).toEqual([undefined, key]);
  });

  test('[H2, L2] takes no log from a grant for a request that was answered before', async () => {
    const { world, F, others } = await plain(36, 'O');
    const [O] = others;
    const made = await world.device('N');
    world.put(made.keys.announcement());
    const { secret } = readDeviceCode(made.keys.code());
    world.put(await world.grant(F, made));
    await made.hear();
    const current = O.keys.current();
    expect(made.seals()).toBe(current.name);
    const evil = await strangeLog(world, current);
    const parts = { ledger: LEDGER, random: world.random, keys: [current], current };
    const grant = await makeGrant({ ...parts, log: bytesOf(evil.id) }, made.seal, secret);
    world.put(evil.start, encodeRecord(grant));
    await made.hear();
    expect([made.keys.log(), made.seals()]).toEqual([undefined, current.name]);
  });

  test('[M3, L2] administers nothing while it does not know the log of its ledger', async () => {
    const { world, F, others } = await plain(37, 'O');
    const [O] = others;
    await F.start();
    const asking = await world.device('N');
    world.put(asking.keys.announcement());
    await hearAll(F, O);
    const tries = [O.keys.rotate([]), O.keys.newRecoveryCode(), O.keys.grant(asking.keys.code())];
    for (const one of tries) expect(await codeOf(one)).toBe('LEDGER_NOT_COMPARED');
  });

  test('[L3] continues to send when a device of its ledger is no longer announced', async () => {
    const { world, F, others } = await plain(38, 'O', 'P');
    const [O] = others;
    const key = O.seals();
    await F.start();
    const announced = [F, O].map(({ seal }) => ({ pub: Buffer.from(seal).toString('base64url') }));
    await O.hear(world.list, announced);
    expect(await O.sends()).toBe(key);
  });

  test('[M1, G2] reports no fork when an admin withdrew a log and started another one', async () => {
    const { world, F, others } = await plain(39, 'O');
    const [O] = others;
    const key = O.seals();
    const [first, second] = [
      await strangeLog(world, F.keys.current(), 'A'),
      await strangeLog(world, F.keys.current(), 'B'),
    ];
    world.put(first.start);
    await O.hear();
    world.list.delete(first.start);
    world.put(second.start);
    await O.hear();
    expect([O.seals(), O.keys.keyring().log?.id, codes(O)]).toEqual([key, second.id, []]);
    world.list.delete(second.start);
    await O.hear();
    expect([O.seals(), O.keys.keyring().log]).toEqual([key, undefined]);
  });
});

describe('the founder of a log', () => {
  test('[M1, G2] continues without a log when an admin withdraws the start, until it is back', async () => {
    const { world, F, others } = await plain(41, 'O');
    const [O] = others;
    await F.start();
    await F.hear();
    const [id, [start]] = [F.keys.log(), world.first];
    world.list.delete(start as string);
    await F.hear();
    expect([F.keys.log(), codes(F)]).toEqual([undefined, ['LEDGER_ROLLED_BACK']]);
    expect([...world.list]).not.toContain(start);
    // Another device rotates the key by the rules without a log, and the founder follows.
    world.put(...(await O.keys.rotate([])));
    await hearAll(O, F);
    expect(F.seals()).toBe(O.seals());
    const again = await world.again(F);
    expect([again.keys.log(), again.seals()]).toEqual([undefined, O.seals()]);
    world.put(start as string);
    for (const one of [F, again]) {
      await one.hear();
      expect([one.keys.log(), one.keys.isApproved()]).toEqual([id, true]);
    }
  });

  test('[M1, G2] stays in the log when it learns the list again that it got before the start', async () => {
    const { world, F } = await plain(46);
    const earlier = [...world.list];
    const learn = () => F.opened.sealing.learn(earlier, { keyList: earlier });
    await learn();
    await F.start();
    const id = F.keys.log();
    await learn();
    expect([F.keys.log(), codes(F)]).toEqual([id, []]);
    // A later list without the start shows that somebody withdrew it.
    await F.hear(earlier);
    expect([F.keys.log(), codes(F)]).toEqual([undefined, ['LEDGER_ROLLED_BACK']]);
  });

  test('[L1] stays in a log that has other entries when the gateway hides its start', async () => {
    const world = logWorld(42);
    const { F } = await world.team();
    const key = F.seals();
    await F.hear([...world.list].filter((text) => !text.startsWith('S2.')));
    await F.hear([]);
    expect([F.seals(), codes(F)]).toEqual([key, []]);
    expect(F.keys.log()).toBeDefined();
  });
});

describe('a recovery code', () => {
  test('[H3, J4] adds a device that seals under the current key after three rotations', async () => {
    const world = logWorld(43);
    const { F, W, X } = await world.team();
    const names = [F.seals()];
    for (const removed of [[W], [], []]) {
      world.put(...(await F.keys.rotate(removed.map(idOf))));
      await hearAll(F, X);
      names.push(F.seals());
    }
    const made = await world.device('F2');
    await made.hear();
    world.put(...(await made.keys.recover(F.code())));
    await hearAll(made, F, X);
    expect([made.seals(), made.keys.isApproved()]).toEqual([F.seals(), true]);
    expect([...made.keys.all().keys()].sort()).toEqual([...names].sort());
    expect(made.keys.devices().find(({ isThis }) => isThis)).toMatchObject({ owner: 'F', isOwn: true });
    // It receives later keys, and has the rights of its person.
    world.put(...(await X.keys.rotate([])));
    await hearAll(X, made);
    expect(made.seals()).toBe(X.seals());
    world.put(...(await made.keys.rotate([idOf(X)])));
    await hearAll(X, made, F);
    expect([X.seals(), F.seals()]).toEqual(['DEVICE_NOT_APPROVED', made.seals()]);
  });

  test('[H3, F10] is used once, although the answer was lost and the device restarted', async () => {
    const world = logWorld(44);
    const { F } = await world.team();
    const made = await world.device('F2');
    await made.hear();
    const texts = await made.keys.recover(F.code());
    const again = await world.again(made);
    await again.hear();
    expect(await again.keys.recover(F.code())).toEqual(texts);
    world.put(...texts);
    await hearAll(again, F);
    expect([again.seals(), codes(F), codes(again)]).toEqual([F.seals(), [], []]);
  });

  test('[M7] stays usable when a restored server lost its grant, after a rotation', async () => {
    const world = logWorld(45);
    const { F, X } = await world.team();
    world.put(...(await F.keys.rotate([])));
    await hearAll(F, X);
    const again = await world.again(F);
    for (const text of [...world.list]) {
      const record = parseKeyRecord(text);
      if (record?.t === 'grant' && record.locked !== undefined) world.list.delete(text);
    }
    await again.hear();
    const made = await world.device('F2');
    await made.hear();
    world.put(...(await made.keys.recover(F.code())));
    await made.hear();
    expect(made.seals()).toBe(F.seals());
  });
});

describe('a device that signs', () => {
  /** A member whose key is stale: the founder removed W without a rotation. */
  async function stale(seed: number) {
    const world = logWorld(seed);
    const { F, W, X } = await world.team();
    const old = X.seals();
    world.put(...(await world.sign(F, { t: 'remove', person: bytesOf(world.personOf(W)) })));
    await X.hear();
    const entries = () =>
      world.entriesIn(world.list).filter((one) => one.kind === 'key' && one.by.entry === world.personOf(X));
    return { world, F, X, old, entries };
  }

  test.each(['answer lost', 'put lost'] as const)(
    '[M2, F10] signs no second entry in one place when the %s, also after a restart',
    async (fault) => {
      const { world, F, X, entries } = await stale(fault === 'put lost' ? 51 : 52);
      world.fault.next = fault;
      await expect(X.sends()).rejects.toMatchObject({ code: 'TIMEOUT' });
      // Nobody may have the new key yet, so nothing is sealed.
      expect(X.seals()).toBe('KEY_INVALID');
      const again = await world.again(X);
      const key = await again.sends();
      expect(entries()).toHaveLength(1);
      await hearAll(F, X, again);
      for (const one of [F, X, again]) expect([one.seals(), codes(one)]).toEqual([key, []]);
    },
  );

  test('[M2] repeats a removal whose answer was lost, together with one of another device', async () => {
    const world = logWorld(53);
    const { F, W, X, R } = await world.team();
    const first = await F.keys.rotate([idOf(W)]);
    const both = await F.keys.rotate([idOf(W), idOf(R)]);
    expect(both).toEqual(expect.arrayContaining([...first]));
    world.put(...both);
    await hearAll(F, W, X, R);
    const seals = [W, R, F, X].map((one) => one.seals());
    expect(seals).toEqual(['DEVICE_NOT_APPROVED', 'DEVICE_NOT_APPROVED', X.seals(), X.seals()]);
    expect(codes(F)).toEqual([]);
  });

  test('[M6, F10] signs one entry in one place, although two tabs send at once', async () => {
    const { world, F, X, entries } = await stale(54);
    const tab = await world.again(X);
    await tab.hear();
    const sent = await Promise.all([X.sends(), tab.sends()]);
    expect(entries().length).toBeGreaterThan(0);
    const places = entries().map((one) => (one.kind === 'join' ? undefined : one.own));
    expect(new Set(places).size).toBe(places.length);
    await hearAll(F, X, tab);
    for (const one of [F, X, tab]) expect(codes(one)).toEqual([]);
    expect(sent).toContain(F.seals());
    // A tab that signed nothing since continues after the other one.
    world.put(...(await X.keys.rotate([])), ...(await tab.keys.rotate([])));
    await hearAll(F, X, tab);
    expect([codes(F), X.seals(), tab.seals()]).toEqual([[], F.seals(), F.seals()]);
  });

  test('[M4, D1] seals nothing while it can not store a removal', async () => {
    const world = logWorld(55);
    const { F, W, X } = await world.team();
    world.put(...(await F.keys.rotate([idOf(W)])));
    await F.hear();
    const { before } = X.storing;
    X.storing.before = () => Promise.reject(new Error('disk'));
    await expect(X.hear()).rejects.toThrow('disk');
    expect(X.seals()).toBe('STORE_FAILED');
    X.storing.before = before;
    await X.hear();
    expect(X.seals()).toBe(F.seals());
  });

  test('[M5] learns one list after another, so an older one never undoes a removal', async () => {
    const world = logWorld(56);
    const { F, W, X } = await world.team();
    const before = [...world.list];
    const more = await world.sign(F, { t: 'remove', person: bytesOf(world.personOf(W)) });
    const late = await world.sign(F, { t: 'person', ...(await personOf('L')) }, before);
    const states: string[] = [];
    const sample = async () => {
      for (let n = 0; n < 5000; n++, await undefined) states.push(X.seals());
    };
    // The entry of the older list is stored slowly.
    const isStoring = new Promise<void>((begun) => {
      let isFirst = true;
      X.storing.before = async (rows) => {
        if (!isFirst || !rows.some(({ key }) => key.includes('/entry/'))) return;
        isFirst = false;
        begun();
        await new Promise((done) => setTimeout(done, 200));
        void sample();
      };
    });
    const first = X.hear([...before, ...late]);
    await isStoring;
    await Promise.all([first, X.hear([...before, ...more])]);
    expect(X.seals()).toBe('KEY_INVALID');
    // Once the device knows of the removal, it never seals under the old key again.
    const since = states.indexOf('KEY_INVALID');
    expect(since < 0 ? [] : states.slice(since).filter((state) => state !== 'KEY_INVALID')).toEqual([]);
  });

  test('[M8, C2] removes one device, and keeps those that it added', async () => {
    const world = logWorld(57);
    const { F, W, X } = await world.team();
    const added: TestDevice[] = [];
    for (const name of ['W2', 'W3']) {
      const made = await world.device(name);
      world.put(made.keys.announcement(), ...(await world.deviceEntry(W, W, made)));
      world.put(await world.grant(W, made));
      await hearAll(made, W);
      added.push(made);
    }
    const [second, third] = added as [TestDevice, TestDevice];
    await F.hear();
    world.put(...(await F.keys.rotate([idOf(W), idOf(third)])));
    await hearAll(F, W, X, second, third);
    expect([W, third].map((one) => one.seals())).toEqual(['DEVICE_NOT_APPROVED', 'DEVICE_NOT_APPROVED']);
    expect([second, X].map((one) => one.seals())).toEqual([F.seals(), F.seals()]);
  });
});

describe('a device that was offline', () => {
  test('[S-12] catches up with three rotations in one list, and reads under all keys', async () => {
    const world = logWorld(61);
    const { F, W, X, R } = await world.team();
    const names = [X.seals()];
    for (const removed of [[W], [R], []]) {
      world.put(...(await F.keys.rotate(removed.map(idOf))));
      await F.hear();
      names.push(F.seals());
    }
    await X.hear();
    expect([X.seals(), new Set(names).size]).toEqual([names.at(-1), 4]);
    expect([...X.keys.all().keys()].sort()).toEqual([...names].sort());
  });
});

/** Returns the fields of an entry that admits a person. */
async function personOf(name: string): Promise<EntryFields> {
  const { seen: _, ...fields } = await personFields(name, await keysNamed(name));
  return { ...fields, role: 'read' };
}
