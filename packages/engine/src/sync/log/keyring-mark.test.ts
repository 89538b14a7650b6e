/** Tests that a short text stands for everything that applications see of the keys of a ledger. */
import { expect, test } from 'vitest';
import { logWorld, type TestDevice } from './ledger-devices.fixture.ts';

const DAY_MS = 86_400_000;

/** Returns a function that checks a device: its mark must differ whenever its keyring does. */
function watched({ keys }: TestDevice) {
  let [shown, mark] = [JSON.stringify(keys.keyring()), keys.keyringMark()];
  let changes = 0;
  return {
    look: (): void => {
      const [nextShown, nextMark] = [JSON.stringify(keys.keyring()), keys.keyringMark()];
      if (nextShown !== shown) {
        expect(nextMark, nextShown).not.toBe(mark);
        changes += 1;
      }
      [shown, mark] = [nextShown, nextMark];
    },
    changes: () => changes,
  };
}

test('differs whenever the keyring does, and not after a list that the device knows', async () => {
  const world = logWorld(1, { silentAfter: 2 });
  const F = await world.device('F');
  const watch = watched(F);
  const heard = async (...lists: Parameters<TestDevice['hear']>) => {
    await F.hear(...lists);
    watch.look();
  };
  await heard([]);
  await F.start();
  watch.look();
  await heard();
  const W = await world.admitted(F, 'W', 'write');
  const R = await world.admitted(F, 'R', 'read');
  await heard();
  // Somebody greets, and then nobody does for days.
  await world.time.pass(DAY_MS + 1);
  await W.hear();
  await heard();
  await world.time.pass(3 * DAY_MS);
  await heard();
  // A request for a code, and a device that asks.
  await W.hear();
  world.put(...(await W.keys.newRecoveryCode()).records);
  await heard();
  const late = await world.device('L');
  world.put(late.keys.announcement());
  await heard();
  await late.hear();
  await heard();
  // The server no longer reports a member, then a writer is lowered and a reader removed.
  await heard([...world.list], []);
  await heard();
  world.put(...(await F.keys.setRole('W', 'read')));
  await heard();
  const idOfR = R.keys.devices().find(({ isThis }) => isThis)?.id as string;
  world.put(...(await F.keys.rotate([idOfR])));
  await heard();
  // An entry that doesn't count: a reader removes the founder.
  world.put(...(await world.sign(W, { t: 'remove', person: Buffer.from(world.personOf(F), 'hex') })));
  await heard();
  expect(watch.changes()).toBeGreaterThan(9);
  const before = F.keys.keyringMark();
  await F.hear();
  expect(F.keys.keyringMark()).toBe(before);
});

test('differs when a device that knows no log sees one, and ignores it', async () => {
  const world = logWorld(2);
  const F = await world.device('F');
  await F.hear([]);
  const other = await world.device('O');
  world.put(other.keys.announcement());
  await F.hear();
  world.put(await world.grant(F, other));
  await other.hear();
  const watch = watched(other);
  await F.start();
  await F.hear();
  await other.hear();
  watch.look();
  const [log] = world.first.map((text) => world.entriesIn([text])[0]?.id as string);
  await other.keys.dismissLog(log as string);
  await other.hear();
  watch.look();
  expect(watch.changes()).toBeGreaterThan(0);
});
