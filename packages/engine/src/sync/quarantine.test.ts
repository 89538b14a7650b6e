import { FixpointError } from '@fixpoint/protocol';
import { expect, test } from 'vitest';
import { seededRandom } from '../testing/seeded-random.ts';
import { createQuarantine } from './quarantine.ts';

const entry = { cid: 'bafy', parents: [], data: 'M' };
const failure = new FixpointError('MISSING_CARS');

/** A quarantine that holds one entry, under a clock that a test sets. */
function arranged() {
  const clock = { now: 1_000_000 };
  const time = { now: () => clock.now, after: () => () => undefined };
  const quarantine = createQuarantine({ time, random: seededRandom(1) });
  quarantine.hold(entry, failure);
  return { clock, quarantine };
}

test('[R13] what is held is tried again after a while, sooner when something changed, and no more once it was let go', () => {
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

test('[R16] a clock that goes back by a day makes nothing wait for a day', () => {
  const { clock, quarantine } = arranged();
  clock.now -= 86_400_000;
  expect(quarantine.due()).toEqual([entry]);
});
