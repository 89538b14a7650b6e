/** The operations of a handle on the devices of a ledger with a membership log. */
import { FixpointError } from '@fixpoint/protocol';
import { isEntryText } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import { logWorld } from '../log/ledger-devices.fixture.ts';
import { asks, first, operationsOf, removesIn } from '../log/ledger-operations.fixture.ts';

type World = ReturnType<typeof logWorld>;

/** A world in which somebody started a log. */
async function logWorldOf(seed: number): Promise<World> {
  const world = logWorld(seed);
  const { devices } = operationsOf(world, await first(world));
  await devices.startLog({ name: 'Eve', code: await devices.newLogCode() });
  return world;
}

describe('an approval by the handle of a ledger with a membership log', () => {
  test('[C6] admits the person whom the user names', async () => {
    const world = logWorld(81);
    const { F, X } = await world.team();
    const asking = await asks(world, 'A');
    const { devices, reports } = operationsOf(world, F);
    await devices.approve(asking.keys.code(), { name: 'Ann', role: 'read' });
    await asking.hear();
    await X.hear();
    expect(asking.keys.log()).toEqual(F.keys.log());
    expect(X.keys.keyring().log?.members.find(({ user }) => user === 'A')).toMatchObject({
      ...{ name: 'Ann', role: 'read', admittedBy: 'F' },
    });
    expect(reports).toEqual([]);
  });

  test('[C6] names the person in the next request, too, if another device changed the list first', async () => {
    const world = logWorld(82);
    const { F } = await world.team();
    const asking = await asks(world, 'A');
    const { devices } = operationsOf(world, F, [new FixpointError('CONFLICT')]);
    await devices.approve(asking.keys.code(), { name: 'Ann', role: 'write' });
    await asking.hear();
    expect(asking.seals()).toBe(F.seals());
    expect(F.keys.keyring().log?.members.map(({ name }) => name)).toContain('Ann');
  });

  test('[C6] is not possible without a name for the device of another person', async () => {
    const world = logWorld(83);
    const { F } = await world.team();
    const asking = await asks(world, 'A');
    const { devices } = operationsOf(world, F);
    await expect(devices.approve(asking.keys.code())).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    await expect(devices.approve('AAAAA', { name: 'Ann', role: 'write' })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
    await asking.hear();
    expect([asking.keys.log(), asking.seals()]).toEqual([undefined, 'DEVICE_NOT_APPROVED']);
  });
});

const startsIn = ({ list, fieldsOf }: World) =>
  [...list].filter((text) => isEntryText(text) && fieldsOf(text)['t'] === 'start');

describe('the start of a membership log by the handle', () => {
  test('[L1] makes the user of the device the founder, with the code that the user saved', async () => {
    const world = logWorld(84);
    const F = await first(world);
    const { devices } = operationsOf(world, F);
    const code = await devices.newLogCode();
    await devices.startLog({ name: 'Fay', code });
    expect(F.keys.keyring()).toMatchObject({
      ...{ hasRecoveryCode: true, asking: [] },
      log: { isCompared: true, role: 'admin', waits: undefined, members: [{ user: 'F', name: 'Fay' }] },
    });
    const lost = await world.device('F');
    await lost.hear();
    await operationsOf(world, lost).devices.recover(code);
    expect(lost.seals()).toBe(F.seals());
    await expect(devices.newRecoveryCode()).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test('[L1] puts the same start after a lost answer, and says that the earlier code counts', async () => {
    const world = logWorld(85);
    const F = await first(world);
    const { devices } = operationsOf(world, F, [
      new FixpointError('TIMEOUT'),
      new FixpointError('RATE_LIMITED'),
    ]);
    const [one, two] = [await devices.newLogCode(), await devices.newLogCode()];
    await expect(devices.startLog({ name: 'Fay', code: one })).rejects.toMatchObject({ code: 'TIMEOUT' });
    await expect(devices.startLog({ name: 'Fay', code: two })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect([startsIn(world).length, F.keys.log() === undefined]).toEqual([1, false]);
    const lost = await world.device('F');
    await lost.hear();
    const recovering = operationsOf(world, lost).devices;
    await expect(recovering.recover(two)).rejects.toMatchObject({ code: 'KEY_UNKNOWN' });
    await recovering.recover(one);
    expect(lost.seals()).toBe(F.seals());
  });

  test('[L1] repeats a start that never arrived, with the same code', async () => {
    const world = logWorld(86);
    const F = await first(world);
    const { devices } = operationsOf(world, F, [new FixpointError('RATE_LIMITED')]);
    const code = await devices.newLogCode();
    await expect(devices.startLog({ name: 'Fay', code })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(startsIn(world)).toEqual([]);
    await devices.startLog({ name: 'Fay', code });
    expect([startsIn(world).length, F.keys.plannedLog()]).toEqual([1, undefined]);
  });

  test('[G2] starts with the key of a rotation that arrived while the user saved the code', async () => {
    const world = logWorld(87);
    const F = await first(world);
    const { devices } = operationsOf(world, F, [new FixpointError('CONFLICT')]);
    const code = await devices.newLogCode();
    const before = F.seals();
    world.put(...(await F.keys.rotate([])));
    await devices.startLog({ name: 'Fay', code });
    const [start] = startsIn(world);
    const key = Buffer.from(world.fieldsOf(start as string)['key'] as Uint8Array).toString('hex');
    expect([key === F.seals(), key === before, startsIn(world).length]).toEqual([true, false, 1]);
  });

  test('[L1] starts the log in all tabs, whichever tab hears of it first', async () => {
    const world = logWorld(93);
    const F = await first(world);
    const tab = await world.again(F);
    await tab.hear();
    const { devices } = operationsOf(world, F);
    let heard = 0;
    // The other tab hears the list before this one learns that the server took the start.
    F.storing.before = async (rows) => {
      if (startsIn(world).length > 0 && rows.some(({ key }) => key.endsWith('/log')) && ++heard === 1)
        await tab.hear();
    };
    await devices.startLog({ name: 'Fay', code: await devices.newLogCode() });
    expect([heard, tab.keys.log()]).toEqual([1, F.keys.log()]);
    expect(tab.keys.keyring().log).toMatchObject({ isCompared: true, waits: undefined });
  });

  test('[L3] follows a log that the user compared in another tab', async () => {
    const world = logWorld(94);
    const F = await first(world);
    const old = await asks(world, 'W');
    const { devices } = operationsOf(world, F);
    await devices.approve(old.keys.code());
    await old.hear();
    const tab = await world.again(old);
    await devices.startLog({ name: 'Fay', code: await devices.newLogCode() });
    await old.hear();
    await tab.hear();
    await operationsOf(world, old).devices.compareLog(F.keys.keyring().log?.id as string, true);
    expect(tab.keys.log()).toBeUndefined();
    await tab.keys.learn([]);
    expect(tab.keys.log()).toEqual(F.keys.log());
  });

  test('[G6] gives no code where no log can start', async () => {
    const world = logWorld(88);
    const F = await first(world);
    const off = operationsOf(world, F, [], false).devices;
    await expect(off.newLogCode()).rejects.toMatchObject({ code: 'NOT_IMPLEMENTED' });
    const asking = await asks(world, 'A');
    const { devices } = operationsOf(world, asking);
    await expect(devices.newLogCode()).rejects.toMatchObject({ code: 'DEVICE_NOT_APPROVED' });
    await expect(devices.startLog({ name: 'A', code: 'AAAAA' })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
    const founding = operationsOf(world, F).devices;
    const code = await founding.newLogCode();
    for (const name of ['', 'a\u202eb', 'x'.repeat(201)])
      await expect(founding.startLog({ name, code })).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    expect(startsIn(world)).toEqual([]);
  });

  test('[L5] lists devices from before the log as such, until the next key excludes them', async () => {
    const world = logWorld(89);
    const F = await first(world);
    const old = await asks(world, 'W');
    const { devices } = operationsOf(world, F);
    await devices.approve(old.keys.code());
    await old.hear();
    await devices.startLog({ name: 'Fay', code: await devices.newLogCode() });
    await old.hear();
    const unlisted = async () => (await devices.list()).filter((one) => one.isUnlisted === true);
    const [found, ...more] = await unlisted();
    expect([found?.owner, more, old.seals() === F.seals()]).toEqual(['W', [], true]);
    await F.hear();
    expect(F.keys.keyring().asking).toEqual([found?.id]);
    await devices.remove([found?.id as string]);
    await old.hear();
    expect([await unlisted(), old.seals()]).toEqual([[], 'LEDGER_NOT_COMPARED']);
    // It asks with a code for the log, and reads on once it is approved.
    await devices.approve(await operationsOf(world, old).devices.code(), { name: 'Wes', role: 'write' });
    await old.hear();
    expect([old.seals(), F.keys.keyring().asking]).toEqual([F.seals(), []]);
  });
});

describe('the replacement of a recovery code by the handle', () => {
  async function founded(seed: number, refusals: FixpointError[] = []) {
    const world = logWorld(seed);
    const F = await first(world);
    const { devices } = operationsOf(world, F);
    const code = await devices.newLogCode();
    await devices.startLog({ name: 'Fay', code });
    const { devices: later } = operationsOf(world, F, refusals);
    const recovers = async (text: string) => {
      // It has a signing key of its own.
      const lost = await world.device('F again');
      world.saysUser(lost, 'F');
      await lost.hear();
      await operationsOf(world, lost).devices.recover(text);
      await lost.hear();
      await F.hear();
      return lost;
    };
    return { world, F, devices: later, code, recovers };
  }
  const codesIn = ({ list, fieldsOf }: World) =>
    [...list].filter((text) => isEntryText(text) && fieldsOf(text)['t'] === 'code').length;

  test('[C5] makes the previous code worthless, and the next one open all keys', async () => {
    const { world, F, devices, code: previous, recovers } = await founded(95);
    const code = await devices.newLogCode();
    expect(await devices.newRecoveryCode({ previous, code })).toBe(code);
    const before = F.seals();
    // The previous code has the key, so nothing is sealed before the next rotation.
    expect(before).toBe('KEY_INVALID');
    const key = await F.sends();
    await expect(recovers(previous)).rejects.toMatchObject({ code: 'DEVICE_NOT_APPROVED' });
    const found = await recovers(code);
    expect([found.seals(), codesIn(world)]).toEqual([key, 1]);
    expect((await devices.list()).filter(({ isRecovery }) => isRecovery)).toHaveLength(1);
  });

  test('[C5, F10] signs one successor although the answer was lost', async () => {
    const lost = [new FixpointError('TIMEOUT')];
    const { world, devices, code: previous, recovers, F } = await founded(96, lost);
    const code = await devices.newLogCode();
    const replaced = { previous, code };
    await expect(devices.newRecoveryCode(replaced)).rejects.toMatchObject({ code: 'TIMEOUT' });
    await devices.newRecoveryCode(replaced);
    const key = await F.sends();
    expect([codesIn(world), (await recovers(code)).seals()]).toEqual([1, key]);
  });

  test('[C5] needs the valid code of the same person, and a device that it did not add', async () => {
    const { world, F, devices, code: previous, recovers } = await founded(97);
    const code = await devices.newLogCode();
    const rejected = (codes: { previous: string; code: string }, by = devices) =>
      by.newRecoveryCode(codes).then(
        () => 'no error',
        (error: FixpointError) => error.code,
      );
    expect(await rejected({ previous: 'AAAAA', code })).toBe('REQUEST_INVALID');
    expect(await rejected({ previous: code, code })).toBe('KEY_UNKNOWN');
    const added = operationsOf(world, await recovers(previous)).devices;
    expect(await rejected({ previous, code }, added)).toBe('FORBIDDEN');
    const W = await world.admitted(F, 'W', 'write');
    expect(await rejected({ previous, code }, operationsOf(world, W).devices)).toBe('FORBIDDEN');
    expect(codesIn(world)).toBe(0);
    const plain = logWorld(98);
    const alone = operationsOf(plain, await first(plain)).devices;
    expect(await rejected({ previous, code }, alone)).toBe('NOT_IMPLEMENTED');
  });
});

describe('the list of devices that ask to be added to a log', () => {
  test('omits devices whose users lost access, as the server reports', async () => {
    const world = logWorld(99);
    const { F } = await world.team();
    await asks(world, 'A');
    await F.hear();
    expect(F.keys.keyring().asking).toHaveLength(1);
    await F.hear(world.list, []);
    expect(F.keys.keyring().asking).toEqual([]);
  });
});

describe('a role', () => {
  test('[C10] is given by an admin above, and by nobody else', async () => {
    const world = logWorld(90);
    const { F, W, X } = await world.team();
    const roleOfX = () => F.keys.keyring().log?.members.find(({ user }) => user === 'X')?.role;
    const { devices } = operationsOf(world, F);
    await devices.setRole('X', 'read');
    expect(roleOfX()).toBe('read');
    await X.hear();
    expect(X.keys.keyring().log?.role).toBe('read');
    await devices.setRole('X', 'write');
    expect(roleOfX()).toBe('write');
    await W.hear();
    await expect(operationsOf(world, W).devices.setRole('X', 'read')).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await expect(devices.setRole('F', 'read')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(devices.setRole('nobody', 'read')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect([roleOfX(), F.keys.keyring().log?.ignored]).toEqual(['write', []]);
  });

  test('[E3] is taken after the event that vouches was sent, or soon if it can’t be sent', async () => {
    const world = logWorld(93);
    const { F } = await world.team();
    let isSent = false;
    let change: () => void = () => undefined;
    let tell: () => void = () => undefined;
    const status = {
      next: () => {
        tell();
        return new Promise<void>((resolve) => {
          change = resolve;
        });
      },
    };
    const uploads = { pending: () => () => !isSent, failure: () => undefined };
    const { devices } = operationsOf(world, F, [], true, { uploads, status });
    const roleOf = (id: string) => F.keys.keyring().log?.members.find(({ user }) => user === id)?.role;
    /** Begins to take a role, and resolves when that waits. */
    const begun = async (user: string, begin = () => devices.setRole(user, 'read')) => {
      const waits = new Promise<void>((resolve) => {
        tell = resolve;
      });
      const done = begin();
      await waits;
      expect(roleOf(user)).toBe('write');
      return { done };
    };
    const first = await begun('X');
    isSent = true;
    change();
    await first.done;
    expect(roleOf('X')).toBe('read');
    isSent = false;
    const second = await begun('W');
    await world.time.pass(10_000);
    await second.done;
    expect(roleOf('W')).toBe('read');
    await devices.setRole('X', 'write');
    const id = F.keys.devices().find(({ owner }) => owner === 'X')?.id as string;
    const third = await begun('X', () => devices.remove([id]));
    isSent = true;
    change();
    await third.done;
    expect(roleOf('X')).toBeUndefined();
  });

  test('does not exist without a log', async () => {
    const world = logWorld(91);
    const { devices } = operationsOf(world, await first(world));
    await expect(devices.setRole('F', 'read')).rejects.toMatchObject({ code: 'NOT_IMPLEMENTED' });
  });
});

describe('the comparison of a log by the handle', () => {
  test('[G2] withdraws a log that has no other entry, also one of somebody without the key', async () => {
    const world = logWorld(93);
    const F = await first(world);
    const { devices } = operationsOf(world, F);
    await devices.startLog({ name: 'Fay', code: await devices.newLogCode() });
    const id = F.keys.keyring().log?.id as string;
    const alone = operationsOf(world, F, [new FixpointError('FORBIDDEN')]).devices;
    await expect(alone.compareLog(id, false)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await devices.compareLog(id, false);
    expect([F.keys.log(), F.keys.keyring().log]).toEqual([undefined, undefined]);
    const [text] = (await logWorldOf(94)).first;
    world.put(text as string);
    await F.hear();
    const [other = ''] = F.keys.keyring().otherLogs ?? [];
    await devices.compareLog(other, false);
    expect([F.keys.keyring().otherLogs, startsIn(world)]).toEqual([undefined, []]);
    await devices.startLog({ name: 'Fay', code: await devices.newLogCode() });
    expect(F.keys.keyring().log).toMatchObject({ isCompared: true, forks: [] });
    expect(F.reports.map((one) => one.code)).toEqual(['LEDGER_ROLLED_BACK']);
  });

  test('[L3] follows or ignores a listed log only', async () => {
    const world = logWorld(92);
    const F = await first(world);
    const old = await asks(world, 'W');
    const { devices } = operationsOf(world, F);
    await devices.approve(old.keys.code());
    await old.hear();
    await devices.startLog({ name: 'Fay', code: await devices.newLogCode() });
    await old.hear();
    const compares = operationsOf(world, old, [new FixpointError('FORBIDDEN')]).devices;
    const id = F.keys.keyring().log?.id as string;
    await expect(compares.compareLog('ab', true)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await compares.compareLog(id, false);
    expect([old.keys.keyring().log, old.keys.keyring().otherLogs]).toEqual([undefined, [id]]);
    await devices.remove([]);
    await expect(devices.compareLog(id, false)).rejects.toMatchObject({ code: 'CONFLICT' });
    await old.hear();
    // The user said that it isn't the ledger's log, so the device seals under its own key.
    expect(old.seals()).toBe(old.keys.keyring().current);
    await compares.compareLog(id, true);
    expect([old.keys.keyring().log?.isCompared, old.seals()]).toEqual([true, 'DEVICE_NOT_APPROVED']);
  });
});

describe('an approval without a code by the handle', () => {
  /** W asks for a code. */
  async function asking(world: World, refusals: FixpointError[] = []) {
    const { F, W, X } = await world.team();
    const ofW = operationsOf(world, W).devices;
    const code = await ofW.newRecoveryCode();
    await F.hear();
    const [request] = F.keys.keyring().log?.codeRequests ?? [];
    return { F, W, X, code, id: request?.id as string, devices: operationsOf(world, F, refusals).devices };
  }

  test('[J5] adds the code that a member asked for', async () => {
    const world = logWorld(95);
    const { F, W, code, id, devices } = await asking(world);
    await devices.approve(id);
    await W.hear();
    expect(F.keys.keyring().log?.codeRequests).toEqual([]);
    const lost = await world.device('W again');
    world.saysUser(lost, 'W');
    await lost.hear();
    await operationsOf(world, lost).devices.recover(code);
    expect(lost.seals()).toBe(F.seals());
  });

  test.each(['TIMEOUT', 'CONFLICT'] as const)('[J5] signs one entry, also after %s', async (failure) => {
    const world = logWorld(96);
    const { F, id, devices } = await asking(world, [new FixpointError(failure)]);
    if (failure === 'TIMEOUT') await expect(devices.approve(id)).rejects.toMatchObject({ code: failure });
    await devices.approve(id);
    const codes = [...world.list].filter((text) => isEntryText(text) && world.fieldsOf(text)['t'] === 'code');
    expect([codes.length, F.keys.keyring().log?.forks]).toEqual([1, []]);
  });

  test('[J5] fails for an id that nobody asked with, and for a member who may not', async () => {
    const world = logWorld(97);
    const { X, id, devices } = await asking(world);
    await expect(devices.approve('ab'.repeat(16))).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    await X.hear();
    await expect(operationsOf(world, X).devices.approve(id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('leaving by the handle', () => {
  test.each([undefined, 'TIMEOUT'] as const)('[C4] signs one entry, also after %s', async (failure) => {
    const world = logWorld(98);
    const { F, W } = await world.team();
    const refusals = failure === undefined ? [] : [new FixpointError(failure)];
    const { devices } = operationsOf(world, W, refusals);
    const id = W.keys.devices().find(({ isThis }) => isThis)?.id as string;
    if (failure !== undefined) await expect(devices.remove([id])).rejects.toMatchObject({ code: failure });
    await devices.remove([id]).catch(() => undefined);
    const leaves = [...world.list].filter(
      (text) => isEntryText(text) && world.fieldsOf(text)['t'] === 'leave',
    );
    expect([leaves.length, W.seals()]).toEqual([1, 'DEVICE_NOT_APPROVED']);
    await F.hear();
    expect(F.keys.keyring().log?.members.map(({ user }) => user)).not.toContain('W');
    expect(F.keys.keyring().log?.forks).toEqual([]);
  });
});

describe('a removal by the handle', () => {
  test('signs the removal of a device whose grants the server rejects', async () => {
    const world = logWorld(99);
    const { F, W } = await world.team();
    // Somebody with the recovery code of F adds a device, and the server takes no grant to it.
    const added = await world.device('F again');
    world.saysUser(added, 'F');
    world.put(added.keys.announcement(), ...(await world.deviceEntry(F, F, added)));
    world.fault.next = 'put lost';
    world.fault.isLasting = true;
    await F.hear();
    const found = F.keys.devices().filter((one) => one.owner === 'F' && !one.isThis && !one.isRecovery);
    const [id = ''] = found.map((one) => one.id);
    expect([F.keys.requests().has(id), F.keys.keyring().asking]).toEqual([true, []]);
    await operationsOf(world, F).devices.remove([id]);
    await W.hear();
    expect(removesIn(world)).toBe(1);
    for (const one of [F, W]) expect(one.keys.devices().map((device) => device.id)).not.toContain(id);
  });
});
