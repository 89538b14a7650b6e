/**
 * Tests that members hear each other, and notice a server that withholds news. The gateway is
 * modified: it shows each device the texts that the test chooses, and checks nothing.
 */
import { isGreetingText, readGreeting, signedGreeting } from '@fixpoint/protocol/storage';
import { expect, test } from 'vitest';
import { hex } from '../../base/bytes.ts';
import { bytesOf } from '../../membership/form/signed-log.fixture.ts';
import { LEDGER, logWorld, type TestDevice } from './ledger-devices.fixture.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type World = ReturnType<typeof logWorld>;

const logOf = ({ keys }: TestDevice) => keys.keyring().log;
const heardAt = (by: TestDevice, user: string) =>
  logOf(by)?.members.find((one) => one.user === user)?.heardAt;
const idOf = ({ keys }: TestDevice) => keys.devices().find(({ isThis }) => isThis)?.id as string;
const codesOf = ({ reports }: TestDevice) => reports.map(({ code }) => code);

/** The greetings in the list of the gateway, each with the key of its seat. */
const greetingsOf = ({ list }: World, { signer }: TestDevice): readonly string[] =>
  [...list].filter((text) => readGreeting(text)?.greeting.seat.key === hex(signer.publicKey));

const withoutGreetings = ({ list }: World): string[] => [...list].filter((text) => !isGreetingText(text));

interface Forged {
  /** The device in whose name the greeting is. */
  readonly as: TestDevice;
  readonly by: TestDevice;
  readonly at: number;
  readonly heads?: readonly string[];
}

function forged(world: World, { as, by, at, heads }: Forged): Promise<string> {
  const seat = world.seatOf(as);
  const fields = {
    at: bytesOf(at.toString(16).padStart(12, '0')),
    in: bytesOf(seat),
    heads: (heads ?? [world.entriesIn(world.list)[0]?.id as string]).map(bytesOf),
  };
  return signedGreeting(fields, LEDGER, { ...by.signer, publicKey: as.signer.publicKey });
}

test('[N2] greets once a day, with a rising time and the heads that the device knows', async () => {
  const world = logWorld(1);
  const { W } = await world.team();
  await W.hear();
  const [first, ...none] = greetingsOf(world, W);
  expect(none).toEqual([]);
  await world.time.pass(23 * HOUR_MS);
  await W.hear();
  expect(greetingsOf(world, W)).toHaveLength(1);
  await world.time.pass(2 * HOUR_MS);
  // Also after it was closed.
  await (await world.again(W)).hear();
  const [, second] = greetingsOf(world, W);
  const [before, after] = [first, second].map((text) => readGreeting(text as string)?.greeting);
  expect(after?.at).toBeGreaterThanOrEqual((before?.at ?? 0) + DAY_MS);
  expect(after?.heads.length).toBeGreaterThan(0);
});

test('[N2] puts a greeting that the server lost again, but not in each hour', async () => {
  const world = logWorld(2);
  const { W } = await world.team();
  await W.hear();
  await world.time.pass(DAY_MS + HOUR_MS);
  const puts = () => world.puts.flat().filter((text) => greetingsOf(world, W).includes(text)).length;
  const before = puts();
  world.fault.next = 'put lost';
  await W.hear();
  await W.hear();
  expect(puts()).toBe(before);
  await world.time.pass(2 * HOUR_MS);
  await W.hear();
  await W.hear();
  expect(puts()).toBe(before + 2);
});

test('[T72, N3] counts the earlier of the claimed time and the arrival, and names fast clocks', async () => {
  const world = logWorld(3);
  const { F, W, X } = await world.team();
  await world.time.pass(DAY_MS);
  const year2100 = Date.UTC(2100, 0);
  const arrival = world.time.now();
  world.put(await forged(world, { as: W, by: W, at: year2100 }));
  world.put(await forged(world, { as: X, by: X, at: arrival - HOUR_MS }));
  await F.hear();
  expect([heardAt(F, 'W'), heardAt(F, 'X')]).toEqual([arrival, arrival - HOUR_MS]);
  expect(logOf(F)?.clocksAhead).toEqual(['W']);
  expect(F.keys.devices().find(({ id }) => id === idOf(X))?.heardAt).toBe(arrival - HOUR_MS);
  // The same greeting doesn't count again, whenever the device is opened.
  await world.time.pass(DAY_MS);
  const again = await world.again(F);
  await again.hear();
  expect(heardAt(again, 'W')).toBe(arrival);
});

test('[N3] hears nobody in a greeting that somebody else signed, or of a removed device', async () => {
  const world = logWorld(4);
  const { F, W, X } = await world.team();
  await F.hear();
  const [ofW, ofX] = [heardAt(F, 'W'), heardAt(F, 'X')];
  await world.time.pass(DAY_MS);
  world.put(...(await F.keys.rotate([idOf(X)])));
  const at = world.time.now();
  const shown = [
    ...withoutGreetings(world),
    await forged(world, { as: W, by: X, at }),
    await forged(world, { as: X, by: X, at }),
  ];
  await F.hear(shown);
  expect([heardAt(F, 'W'), heardAt(F, 'X') ?? ofX]).toEqual([ofW, ofX]);
  await F.hear([...shown, await forged(world, { as: W, by: W, at })]);
  expect(heardAt(F, 'W')).toBe(at);
});

test('[N2, N5] reports an entry that a greeting names and that the server withholds', async () => {
  const world = logWorld(5);
  const { F, W, X } = await world.team();
  const before = withoutGreetings(world);
  world.put(...(await F.keys.rotate([idOf(W)])));
  await world.time.pass(2 * DAY_MS);
  await F.hear();
  const greeting = greetingsOf(world, F).at(-1) as string;
  // The server hides the removal, but passes the greeting on so that X notices no silence.
  await X.hear([...before, greeting]);
  await world.time.pass(59_000);
  await X.hear([...before, greeting]);
  expect(codesOf(X)).toEqual([]);
  await world.time.pass(2000);
  await X.hear([...before, greeting]);
  expect(codesOf(X)).toEqual(['LEDGER_FORKED']);
});

test('[N3] says since when it heard of no other device, once that is long enough', async () => {
  const world = logWorld(6, { silentAfter: 3 });
  const { F, W } = await world.team();
  await F.hear();
  const last = world.time.now();
  const shown = [...world.list];
  await world.time.pass(2 * DAY_MS);
  await W.hear();
  await F.hear(shown);
  expect(logOf(F)?.silentSince).toBeUndefined();
  await world.time.pass(2 * DAY_MS);
  // The server withholds the greetings of others; that of F itself doesn't count.
  await F.hear([...shown, ...greetingsOf(world, F)]);
  expect(logOf(F)?.silentSince).toBeLessThanOrEqual(last);
  // A device that was closed for long hears the others before it says so.
  const again = await world.again(F);
  expect(logOf(again)?.silentSince).toBeUndefined();
  await again.hear();
  expect(logOf(again)?.silentSince).toBeUndefined();
});

test('[N1] puts the entries again that the list lacks, also from a device that only reads', async () => {
  const world = logWorld(7);
  const { F, R } = await world.team();
  const before = withoutGreetings(world);
  const [removal] = await F.keys.rotate([idOf(await world.admitted(F, 'Y', 'write'))]);
  world.put(removal as string);
  await R.hear();
  const puts = world.puts.length;
  await R.hear(before);
  expect(world.puts.slice(puts).flat()).toContain(removal);
});

test('[N2] greets from an open database, also if the server lists nothing new', async () => {
  const world = logWorld(8);
  const { W } = await world.team();
  await W.hear();
  const open = await world.opened(W);
  await open.hear();
  const before = greetingsOf(world, W).length;
  await world.time.pass(DAY_MS - HOUR_MS);
  expect(greetingsOf(world, W)).toHaveLength(before);
  await world.time.pass(3 * HOUR_MS);
  // The platform signs in its own time.
  await expect.poll(() => greetingsOf(world, W).length).toBe(before + 1);
  open.close();
  await world.time.pass(3 * DAY_MS);
  expect(greetingsOf(world, W)).toHaveLength(before + 1);
});

test('[N2] greets only as a current member of the log', async () => {
  const world = logWorld(9);
  const { F, W } = await world.team();
  await W.hear();
  world.put(...(await F.keys.rotate([idOf(W)])));
  await F.hear();
  await world.time.pass(2 * DAY_MS);
  const before = greetingsOf(world, W).length;
  await W.hear();
  expect(greetingsOf(world, W)).toHaveLength(before);
  const outside = await world.device('Y');
  await outside.hear();
  expect([await outside.keys.greeting(), greetingsOf(world, outside)]).toEqual([undefined, []]);
});
