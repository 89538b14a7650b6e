/** Tests what a device says about events that it withholds. */
import { describe, expect, test } from 'vitest';
import { sortHead } from '../../clock/event.ts';
import type { Cid } from '../../codec/cid.ts';
import { role } from '../../membership/membership.fixture.ts';
import { followed, founder, reader, team, testReceiver, writer } from './acceptance.fixture.ts';

const NONE = sortHead([]);

describe('a withheld event of a member', () => {
  test('[E6] says how many earlier changes come along, and by whom', async () => {
    const { world, device, W, R } = await followed();
    const base = await world.write(writer, W.entry, NONE);
    const unsigned = await world.write(undefined, undefined, [base]);
    const [one, other] = [
      await world.write(reader, R.entry, [unsigned]),
      await world.write(reader, R.entry, [unsigned]),
    ];
    const last = await world.write(reader, undefined, sortHead([one, other]));
    await device.receive(last);
    const [{ signer } = { signer: '' }] = device.withheld();
    const earlierIn = () => device.withheld().map(({ event, earlier }) => [event, earlier]);
    const all = [
      { signer, count: 2 },
      { signer: undefined, count: 1 },
    ];
    expect([signer, earlierIn()]).toEqual([expect.any(String), [[last, all]]]);
    // Another withheld change, after which the first one isn't reached by the walk.
    const forged = await world.write(undefined, undefined, [base]);
    await device.receive(forged);
    expect(earlierIn()).toEqual([
      [last, all],
      [forged, undefined],
    ]);
    // Somebody builds on one of them.
    await device.receive(await world.write(writer, W.entry, [one]));
    device.restart();
    await device.revise();
    expect(earlierIn()[0]).toEqual([last, [{ signer, count: 1 }]]);
    expect(await device.adopt(last)).toBe(true);
  });

  test('[E6] counts at most 100 earlier changes of each of the 20 newest ones', async () => {
    const { world, device, R } = await followed();
    let last: Cid | undefined;
    for (let n = 0; n < 130; n++)
      last = await world.write(reader, R.entry, last === undefined ? NONE : [last]);
    await device.receive(last as Cid);
    expect(device.withheld()[0]?.earlier).toEqual([{ signer: device.withheld()[0]?.signer, count: 100 }]);
    const more: Cid[] = [];
    for (let n = 0; n < 20; n++) more.push(await world.write(reader, R.entry, NONE));
    for (const cid of more) await device.receive(cid);
    expect(device.withheld().map(({ earlier }) => earlier?.length)).toEqual([
      undefined,
      ...more.map(() => 0),
    ]);
  });
});

describe('a withheld event of one of two tabs', () => {
  test('[item 6] counts once the log allows it, also after a restart', async () => {
    const { log, F, world, W, R } = team();
    const known = [...log.entries];
    const later = log.add(F, role(W.entry, 'write'));
    const rows = new Map<string, Uint8Array>();
    const [one, other] = [testReceiver(world, founder, rows), testReceiver(world, founder, rows)];
    for (const tab of [one, other]) await tab.follow(known);
    // The server sends each tab another event, before the entry that one of them names.
    const event = await world.write(writer, later, NONE);
    await one.receive(event);
    await other.receive(await world.write(reader, R.entry, NONE));
    one.restart();
    await one.follow(log.entries);
    expect(one.head()).toEqual([event]);
  });
});
