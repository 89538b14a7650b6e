import { FixpointError } from '@fixpoint/protocol';
import { expect, test } from 'vitest';
import { seededRandom } from '../../testing/seeded-random.ts';
import { createQuarantine } from './quarantine.ts';

const entry = { cid: 'bafy', parents: [], data: 'M' };
const failure = new FixpointError('MISSING_CARS');

/** Creates a quarantine with one entry, and a clock that the test sets. */
function arranged() {
  const clock = { now: 1_000_000 };
  const time = { now: () => clock.now, after: () => () => undefined };
  const quarantine = createQuarantine({ time, random: seededRandom(1) });
  quarantine.hold(entry, failure);
  return { clock, quarantine };
}

test('[R13] retries a held entry after a while, sooner after a change, and never after its release', () => {
  const { clock, quarantine } = arranged();
  expect(quarantine.due()).toEqual([]);
  clock.now += 200;
  expect(quarantine.due()).toEqual([entry]);
  quarantine.hold(entry, failure);
  expect([quarantine.due(), quarantine.size(), quarantine.triesMin()]).toEqual([[], 1, 2]);
  quarantine.makeDue();
  expect(quarantine.due()).toEqual([entry]);
  quarantine.release(entry.cid);
  expect([quarantine.due(), quarantine.failure()]).toEqual([[], undefined]);
});

test('[R16] retries an entry soon even if the clock is set back by a day', () => {
  const { clock, quarantine } = arranged();
  clock.now -= 86_400_000;
  expect(quarantine.due()).toEqual([entry]);
});
