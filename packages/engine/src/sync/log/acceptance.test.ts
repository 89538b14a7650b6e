/** Which events become part of the head (docs/internals/membership-rules.md, "Events"). */
import type { EntryId } from '@fixpoint/protocol/storage';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { budget, long } from '../../../tests/budget.fixture.ts';
import { hex } from '../../base/bytes.ts';
import { type Head, sortHead } from '../../clock/event.ts';
import { type Cid, cidToBytes } from '../../codec/cid.ts';
import { historyOf, loggedEvent } from '../../commit/verify/log-authors.ts';
import { evaluate } from '../../membership/evaluate.ts';
import { EventRules } from '../../membership/events.ts';
import { admit, removal, role, START } from '../../membership/membership.fixture.ts';
import {
  closureOf,
  type EventWorld,
  followed,
  founder,
  keyOf,
  reader,
  stranger,
  team,
  testReceiver,
  writer,
} from './acceptance.fixture.ts';

const reasons = (device: ReturnType<typeof testReceiver>) =>
  device.withheld().map(({ event, reason }) => [event, reason]);
const NONE = sortHead([]);
const cutOf = (...cids: Cid[]) => cids.map((cid) => hex(cidToBytes(cid)));

describe('a device that follows a log', () => {
  test('[E1, S-3] withholds what a reader writes in any name, and reports it', async () => {
    const { world, device, W, R, log } = await followed();
    const base = await world.write(writer, R.entry, NONE);
    await device.receive(base);
    const before: Head = [base];
    const forged = [
      [await world.write(undefined, undefined, before), 'unknown device'],
      [await world.write(reader, R.entry, before), 'no right'],
      [await world.write(reader, undefined, before), 'names nothing'],
      [await world.write(stranger, R.entry, before), 'unknown device'],
      [await world.write(writer, 'ab'.repeat(32), before), 'unknown entry'],
    ] as const;
    for (const [cid] of forged) await device.receive(cid);
    expect(device.head()).toEqual(before);
    expect(reasons(device)).toEqual(forged);
    const honest = await world.write(writer, W.entry, before);
    await device.receive(honest);
    expect(device.head()).toEqual([honest]);
    expect(log.entries).toHaveLength(3);
  });

  test('[item 6] drops what a removed member wrote after the cut, and takes it back if a writer builds on it', async () => {
    const { log, F, world, device, W, R } = await followed();
    const early = await world.write(writer, R.entry, NONE);
    const late = await world.write(writer, R.entry, [early]);
    await device.receive(late);
    const X = admit(log, keyOf(stranger), 'write', F);
    log.add(F, { ...removal(W.entry), cut: cutOf(early) });
    await device.follow(log.entries);
    expect(device.head()).toEqual([early]);
    expect(reasons(device)).toEqual([[late, 'removed']]);
    device.restart();
    await device.revise();
    expect([device.head(), reasons(device)]).toEqual([[early], [[late, 'removed']]]);
    const built = await world.write(stranger, X.entry, [late]);
    await device.receive(built);
    expect([device.head(), device.withheld(), device.rows.size]).toEqual([[built], [], 0]);
  });

  test('[E6] keeps what it wrote itself, and vouches for it once it may write', async () => {
    const { log, F, world, R } = team();
    const device = testReceiver(world, reader);
    const old = await device.write(undefined, undefined);
    const own = await device.write(reader, R.entry);
    await device.follow(log.entries);
    expect([device.head(), device.withheld()]).toEqual([[own], []]);
    for (const isMerged of [false, true]) {
      device.send(isMerged);
      device.restart();
      await device.revise();
    }
    expect(device.head()).toEqual([own]);
    const grant = log.add(F, role(R.entry, 'write'));
    await device.follow(log.entries);
    const [vouched] = device.head() as [Cid];
    expect(world.events.get(vouched)).toMatchObject({ parents: [own] });
    expect(closureOf(world, [vouched])).toEqual(new Set([vouched, own, old]));
    await device.revise();
    expect([device.head(), grant.length]).toEqual([[vouched], 64]);
    const elsewhere = testReceiver(world, founder);
    await elsewhere.follow(log.entries);
    await elsewhere.receive(vouched);
    expect(elsewhere.head()).toEqual([vouched]);
  });

  test('[L6, E6] vouches for what it sent before it knew the log', async () => {
    const { log, world, R } = team();
    const device = testReceiver(world, writer);
    const own = await device.write(undefined, undefined);
    device.send();
    await device.receive(await world.write(reader, R.entry, NONE));
    await device.follow(log.entries);
    const [vouched] = device.head() as [Cid];
    expect(closureOf(world, [vouched])).toEqual(new Set([vouched, own]));
    expect(reasons(device).map(([, reason]) => reason)).toEqual(['no right']);
  });

  test('[E6, S-3] counts no event of others as its own because it sent their archives again', async () => {
    const { log, F, world, device, W, R } = await followed();
    const early = await world.write(writer, W.entry, NONE);
    const late = await world.write(writer, W.entry, [early]);
    const forged = [await world.write(reader, R.entry, NONE), await world.write(undefined, undefined, NONE)];
    await device.receive(late, ...forged);
    for (const cid of [early, late, ...forged]) device.sendAgain(cid);
    device.restart();
    await device.revise();
    expect(device.head()).toEqual([late]);
    // The removal of an author, too, finds their archive among those that the device sent.
    log.add(F, { ...removal(W.entry), cut: cutOf(early) });
    await device.follow(log.entries);
    expect(device.head()).toEqual([early]);
    expect(device.withheld().map(({ event }) => event)).toEqual(expect.arrayContaining([late, ...forged]));
  });

  test('[E6] keeps an unsigned event that another tab wrote just before it saw the log', async () => {
    const { world, device } = await followed();
    const own = await device.write(undefined, undefined);
    await device.receive(await world.write(undefined, undefined, NONE));
    expect(closureOf(world, device.head()).has(own)).toBe(true);
    expect(device.withheld()).toHaveLength(1);
  });

  test('[E6] vouches only for its own events', async () => {
    const { world, device, R } = await followed();
    await device.receive(await world.write(reader, R.entry, NONE));
    await device.revise();
    expect([device.head(), device.withheld().length]).toEqual([[], 1]);
  });

  test('[E6] accepts a late change of a removed member because the user asks, as vouched for', async () => {
    const { log, F, world, device, W } = await followed();
    const early = await world.write(writer, W.entry, NONE);
    log.add(F, { ...removal(W.entry), cut: cutOf(early) });
    const before = await world.write(writer, W.entry, [early]);
    const late = await world.write(writer, W.entry, [before]);
    await device.receive(late);
    await device.follow(log.entries);
    expect([device.head(), reasons(device)]).toEqual([[early], [[late, 'removed']]]);
    expect(await device.adopt(early)).toBe(false);
    expect([await device.adopt(late), device.hasAdopted(late), device.withheld()]).toEqual([true, true, []]);
    const [vouched] = device.head() as [Cid];
    expect(world.events.get(vouched)).toMatchObject({ parents: [late] });
    expect(closureOf(world, [vouched])).toEqual(new Set([vouched, late, before, early]));
    // A repeated call, and a restart, change nothing.
    expect(await device.adopt(late)).toBe(true);
    device.restart();
    await device.revise();
    expect(device.head()).toEqual([vouched]);
    const elsewhere = testReceiver(world, stranger);
    await elsewhere.follow(log.entries);
    await elsewhere.receive(vouched);
    expect(elsewhere.head()).toEqual([vouched]);
  });

  test('[E6, S-3] accepts nothing that no member signed, or that names an unknown entry', async () => {
    const { world, device, R } = await followed();
    const forged = [
      await world.write(undefined, undefined, NONE),
      await world.write(stranger, R.entry, NONE),
      await world.write(writer, 'ab'.repeat(32), NONE),
    ];
    for (const cid of forged) {
      await device.receive(cid);
      await expect(device.adopt(cid)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
    expect([device.head(), device.withheld().length]).toEqual([[], 3]);
  });

  test('[E6, C6] accepts nothing of somebody whose entry never counted', async () => {
    const { log, world, device, W } = await followed();
    const ada = admit(log, keyOf(stranger), 'write', W.by);
    await device.follow(log.entries);
    const event = await world.write(stranger, ada.entry, NONE);
    await device.receive(event);
    expect(device.withheld()).toEqual([{ event, reason: 'unknown device', signer: undefined }]);
    await expect(device.adopt(event)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(device.head()).toEqual([]);
  });

  test('[E6] accepts no change that follows one with an unknown entry, unless that one is accepted', async () => {
    const { log, F, world, device, W, R } = await followed();
    const early = await world.write(writer, W.entry, NONE);
    const unsigned = await world.write(undefined, undefined, [early]);
    const hidden = await world.write(writer, 'ab'.repeat(32), [unsigned]);
    log.add(F, { ...removal(R.entry), cut: cutOf(early) });
    await device.follow(log.entries);
    const late = await world.write(reader, R.entry, [hidden]);
    await device.receive(late);
    expect(reasons(device)).toEqual([[late, 'removed']]);
    await expect(device.adopt(late)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect([device.head(), reasons(device)]).toEqual([[early], [[late, 'removed']]]);
    await device.receive(await world.write(writer, W.entry, [hidden]));
    expect(await device.adopt(late)).toBe(true);
    expect(closureOf(world, device.head()).has(late)).toBe(true);
  });

  test('[E6] lets no reader accept a change of another one', async () => {
    const { log, world, R } = team();
    const device = testReceiver(world, reader);
    await device.follow(log.entries);
    const late = await world.write(writer, undefined, NONE);
    await device.receive(late);
    await expect(device.adopt(late)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect([device.head(), R.entry.length]).toEqual([[], 64]);
  });

  test('[E6] withholds the change again if accepting it stopped before it was vouched for', async () => {
    const { world, device, R } = await followed();
    const late = await world.write(reader, R.entry, NONE);
    await device.receive(late);
    device.failWrites(true);
    await expect(device.adopt(late)).rejects.toMatchObject({ code: 'STORE_FAILED' });
    device.failWrites(false);
    device.restart();
    await device.revise();
    expect([device.head(), reasons(device)]).toEqual([[], [[late, 'no right']]]);
  });

  test('[E7] accepts an event once the entry that it names arrives, and reports one that stays unknown', async () => {
    const { log, F, world, W } = team();
    const known = [...log.entries];
    const later = log.add(F, role(W.entry, 'write'));
    const device = testReceiver(world, founder);
    await device.follow(known);
    const event = await world.write(writer, later, NONE);
    await device.receive(event);
    expect(reasons(device)).toEqual([[event, 'unknown entry']]);
    device.clock.now = 60_000;
    await device.revise();
    await device.revise();
    expect(device.reports.map(({ code }) => code)).toEqual(['LEDGER_FORKED']);
    await device.follow(log.entries);
    expect([device.head(), device.withheld()]).toEqual([[event], []]);
  });

  test('[T64, E7] asks once to confirm each unknown name, also after a restart', async () => {
    const { log, F, world, device, W } = await followed();
    const hide = async (digit: string) => {
      await device.receive(await world.write(writer, digit.repeat(64), NONE));
    };
    await hide('a');
    await device.receive(await world.write(reader, 'a'.repeat(64), NONE));
    expect(device.unconfirmed()).toEqual([]);
    device.clock.now = 60_000;
    await device.revise();
    expect(device.unconfirmed()).toEqual([device.withheld()[0]?.signer]);
    // A device that was closed doesn't start to wait again.
    device.restart();
    device.clock.now = 61_000;
    await device.revise();
    expect(device.unconfirmed()).toHaveLength(1);
    await device.confirm();
    expect(device.unconfirmed()).toEqual([]);
    device.restart();
    await device.revise();
    device.clock.now = 200_000;
    expect(device.unconfirmed()).toEqual([]);
    await hide('b');
    device.clock.now = 300_000;
    await device.revise();
    expect(device.unconfirmed()).toHaveLength(1);
    // Nobody has to confirm the list because of a removed member.
    log.add(F, removal(W.entry));
    await device.follow(log.entries);
    expect(device.unconfirmed()).toEqual([]);
  });

  test('[E7] needs no confirmation once the entry is here, even if the event is not accepted', async () => {
    const { log, F, world, W } = team();
    const known = [...log.entries];
    const device = testReceiver(world, founder);
    await device.follow(known);
    const later = log.add(F, removal(W.entry));
    await device.receive(await world.write(writer, later, NONE));
    device.clock.now = 60_000;
    expect(device.unconfirmed()).toHaveLength(1);
    await device.follow(log.entries);
    expect([device.unconfirmed(), device.withheld().length]).toEqual([[], 1]);
  });

  test('[E7] approves nobody before it checked the head by the log, or while blocks are missing', async () => {
    const { log, F, world, device, W, R } = await followed();
    expect(await device.requireConfirmed()).toBeUndefined();
    const hidden = await world.write(writer, 'a'.repeat(64), [await world.write(writer, R.entry, NONE)]);
    await device.receive(hidden);
    device.clock.now = 60_000;
    await expect(device.requireConfirmed()).rejects.toMatchObject({ code: 'LEDGER_NOT_COMPARED' });
    device.restart();
    await expect(device.requireConfirmed()).rejects.toMatchObject({ code: 'LEDGER_NOT_COMPARED' });
    await device.confirm();
    expect(await device.requireConfirmed()).toBeUndefined();
    log.add(F, removal(W.entry));
    device.compact();
    device.remote.hasBlocks = false;
    await expect(device.follow(log.entries)).rejects.toMatchObject({ code: 'MISSING_BLOCK' });
    await expect(device.requireConfirmed()).rejects.toMatchObject({ code: 'MISSING_BLOCK' });
  });

  test('[E7] keeps asking while a member writes more, somebody writes on top, or a change is accepted', async () => {
    const { world, device, W, R } = await followed();
    const hidden = 'a'.repeat(64);
    let last = await world.write(writer, hidden, NONE);
    await device.receive(last);
    for (let n = 0; n < 3; n++) {
      device.clock.now += 30_000;
      last = await world.write(writer, hidden, [last]);
      await device.receive(last);
    }
    const [name] = device.unconfirmed();
    expect([name, device.withheld().length]).toEqual([device.withheld()[0]?.signer, 1]);
    const isAsked = async () => {
      await device.revise();
      device.restart();
      await device.revise();
      return device.unconfirmed().join() === name;
    };
    await device.receive(await world.write(undefined, undefined, [last]));
    expect([await isAsked(), reasons(device).map(([, reason]) => reason)]).toEqual([
      true,
      ['unknown device'],
    ]);
    await device.receive(await world.write(writer, W.entry, [last]));
    expect(await isAsked()).toBe(true);
    expect(device.reports.map(({ code }) => code)).toContain('LEDGER_FORKED');
    // The answer holds for all events of this member with the name.
    await device.confirm();
    await device.receive(await world.write(writer, hidden, [await world.write(reader, R.entry, NONE)]));
    device.clock.now += 60_000;
    expect([await isAsked(), device.unconfirmed()]).toEqual([false, []]);
  });

  test('[E7] asks about a name below an event of the member whose removal is withheld', async () => {
    const { log, F, world, device, W } = await followed();
    const V = admit(log, keyOf(stranger), 'write', F);
    await device.follow(log.entries);
    const base = await world.write(writer, W.entry, NONE);
    await device.receive(base);
    const honest = await world.write(writer, 'a'.repeat(64), [base]);
    const covering = await world.write(stranger, V.entry, [honest]);
    await device.receive(covering);
    expect([device.head(), device.withheld()]).toEqual([[covering], []]);
    device.clock.now = 60_000;
    expect(device.unconfirmed()).toHaveLength(1);
    device.restart();
    await expect(device.requireConfirmed()).rejects.toMatchObject({ code: 'LEDGER_NOT_COMPARED' });
  });

  test('[E7] asks in each tab about what any tab received, until the user of one of them answers', async () => {
    const { log, F, world, W } = team();
    const V = admit(log, keyOf(stranger), 'write', F);
    const rows = new Map<string, Uint8Array>();
    const [one, other] = [testReceiver(world, founder, rows), testReceiver(world, founder, rows)];
    for (const tab of [one, other]) await tab.follow(log.entries);
    // Later changes hide the names from the list of withheld changes.
    const hidden = await world.write(writer, 'a'.repeat(64), NONE);
    await one.receive(await world.write(writer, W.entry, [hidden]));
    for (const tab of [one, other]) tab.clock.now = 60_000;
    await expect(other.requireConfirmed()).rejects.toMatchObject({ code: 'LEDGER_NOT_COMPARED' });
    const alsoHidden = await world.write(stranger, 'b'.repeat(64), NONE);
    await other.receive(await world.write(stranger, V.entry, [alsoHidden]));
    for (const tab of [one, other]) {
      tab.restart();
      tab.clock.now = 120_000;
      await tab.revise();
      expect(tab.unconfirmed()).toHaveLength(2);
    }
    await one.confirm();
    await other.receive(await world.write(stranger, 'c'.repeat(64), NONE));
    for (const tab of [one, other]) {
      tab.restart();
      await tab.revise();
      expect(tab.unconfirmed()).toHaveLength(1);
    }
  });

  test('[E1] accepts everything in the cut of the start', async () => {
    const { log, world } = team();
    const first = await world.write(undefined, undefined, NONE);
    const last = await world.write(undefined, undefined, [first]);
    const after = await world.write(undefined, undefined, [last]);
    log.entries[0] = { ...log.entries[0], cut: cutOf(last) } as (typeof log.entries)[0];
    const device = testReceiver(world, reader);
    await device.receive(after);
    expect(device.head()).toEqual([after]);
    await device.follow(log.entries);
    expect(device.head()).toEqual([last]);
  });

  test('keeps the head if storing it fails, and moves it with the next try', async () => {
    const { log, F, world, device, W, R } = await followed();
    const late = await world.write(writer, R.entry, NONE);
    await device.receive(late);
    log.add(F, removal(W.entry));
    device.failWrites(true);
    await expect(device.follow(log.entries)).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect([device.head(), device.withheld()]).toEqual([[late], []]);
    device.failWrites(false);
    device.restart();
    await device.revise();
    expect([device.head(), reasons(device)]).toEqual([[], [[late, 'removed']]]);
  });

  test('fetches blocks that it dropped and that an earlier head needs', async () => {
    const { log, F, world, device, W, R } = await followed();
    await device.receive(await world.write(writer, R.entry, NONE));
    log.add(F, removal(W.entry));
    device.compact();
    device.remote.hasBlocks = false;
    await expect(device.follow(log.entries)).rejects.toMatchObject({ code: 'MISSING_BLOCK' });
    expect(device.head()).toHaveLength(1);
    device.remote.hasBlocks = true;
    await device.revise();
    expect(device.head()).toEqual([]);
  });

  test('[E3] writes an event on top of everything that it accepted, if it may write', async () => {
    const { world, device, W, R, log } = await followed();
    const heads = [await world.write(writer, R.entry, NONE), await world.write(founder, W.entry, NONE)];
    for (const cid of heads) await device.receive(cid);
    expect(await device.vouch()).toBe(true);
    const [vouched] = device.head() as [Cid];
    expect(world.events.get(vouched)?.parents).toEqual(sortHead(heads));
    const other = testReceiver(world, writer);
    await other.follow(log.entries);
    await other.receive(vouched);
    expect(other.head()).toEqual([vouched]);
    const [ofReader, outside] = [testReceiver(world, reader), testReceiver(world, stranger)];
    for (const one of [ofReader, outside]) {
      await one.follow(log.entries);
      expect(await one.vouch()).toBe(false);
    }
  });

  test('keeps all events of a database that is attached to another ledger, too', async () => {
    const { log, F, world, W, R } = await followed();
    const device = testReceiver(world, founder, new Map([['remote/other/kind', new Uint8Array()]]));
    await device.follow(log.entries);
    const event = await world.write(writer, R.entry, NONE);
    await device.receive(event);
    log.add(F, removal(W.entry));
    await device.follow(log.entries);
    expect([device.head(), device.withheld()]).toEqual([[event], []]);
    const late = await world.write(writer, R.entry, [event]);
    await device.receive(late);
    expect([device.head(), reasons(device)]).toEqual([[event], [[late, 'removed']]]);
  });

  test('[E9] lists the newest 1,000 withheld events', async () => {
    const { world, device } = await followed();
    const cids: Cid[] = [];
    for (let n = 0; n < 1003; n++) cids.push(await world.write(undefined, undefined, NONE));
    for (let at = 0; at < cids.length; at += 200) await device.receive(...cids.slice(at, at + 200));
    expect(device.withheld()).toHaveLength(1000);
    expect(device.withheld().at(-1)?.event).toBe(sortHead(cids.slice(1000)).at(-1));
  });

  test('[L3] withholds nothing before it follows a log', async () => {
    const { world } = team();
    const device = testReceiver(world, reader);
    const any = await world.write(undefined, undefined, NONE);
    await device.receive(any);
    await device.revise();
    expect([device.head(), device.withheld(), await device.vouch()]).toEqual([[any], [], false]);
  });
});

const step = fc.record({
  by: fc.nat(3),
  names: fc.nat(9),
  parents: fc.array(fc.nat(9), { maxLength: 2 }),
  what: fc.nat(9),
  cut: fc.array(fc.nat(9), { maxLength: 3 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Events of anybody, and a log that gives and takes rights between them. */
async function history(steps: readonly Step[]) {
  const { log, F, W, R, world } = team();
  const signers = [founder, writer, reader, undefined];
  const written: Cid[] = [];
  const named: EntryId[] = [W.entry, R.entry];
  const recent = (at: number) => written.at(-1 - (at % Math.max(1, written.length)));
  for (const { by, names, parents, what, cut } of steps) {
    const cids = sortHead(parents.flatMap((at) => recent(at) ?? []));
    if (what > 1) written.push(await world.write(signers[by], named[names % named.length], cids));
    else {
      const listed = sortHead(cut.flatMap((at) => recent(at) ?? []));
      const of = by % 2 === 0 ? W.entry : R.entry;
      const content = [removal(of), role(of, 'read'), role(of, 'write')][(what + names) % 3];
      named.push(log.add(F, { ...content, cut: cutOf(...listed) } as Parameters<typeof log.add>[1]));
    }
  }
  return { log, world, written };
}

/** Returns the head by the definition in the rules. */
async function expectedHead(
  world: EventWorld,
  entries: Parameters<typeof evaluate>[0],
  written: readonly Cid[],
) {
  const read = async (cid: Cid) => world.events.get(cid) as never;
  const rules = new EventRules(evaluate(entries, START), historyOf(read), START);
  const accepted: Cid[] = [];
  for (const cid of written)
    if ((await rules.directSeatOf(loggedEvent(cid, await read(cid)))) !== undefined) accepted.push(cid);
  const covered = new Set(
    accepted.flatMap((cid) => [...closureOf(world, world.events.get(cid)?.parents ?? [])]),
  );
  return sortHead(accepted.filter((cid) => !covered.has(cid)));
}

const RUNS = budget({ commit: 60, night: 2000, release: 8000 });

test(
  `[T75] has the head of the rules after ${RUNS} histories, in whatever order they arrive`,
  long,
  async () => {
    const orders = fc.array(fc.nat(), { minLength: 40, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 24 }), orders, async (steps, order) => {
        const { log, world, written } = await history(steps);
        const expected = await expectedHead(world, log.entries, written);
        const device = testReceiver(world, stranger);
        const shuffled = written
          .map((cid, at) => [order[at % order.length] as number, cid] as const)
          .sort(([a], [b]) => a - b);
        for (const [place, cid] of shuffled) {
          if (place % 3 === 0) await device.follow(log.entries.slice(0, 1 + (place % log.entries.length)));
          if (place % 7 === 0) device.restart();
          await device.receive(cid);
        }
        await device.follow(log.entries);
        expect(device.head()).toEqual(expected);
      }),
      { numRuns: RUNS },
    );
  },
);
