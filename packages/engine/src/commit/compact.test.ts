import { LIMITS } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../base/bytes.ts';
import { type Cid, cidOf, RAW } from '../codec/cid.ts';
import { isCompactingOverdue, isWorthCompacting, planMerge, planSweep } from './compact.ts';

const MB = LIMITS.archiveBytesThreshold;
const cid = (name: string): Cid => cidOf(RAW, utf8(name));
const archive = (name: string, bytes: number, { pending = false, deadBytes = 0 } = {}) => ({
  cid: cid(name),
  bytes,
  pending,
  deadBytes,
});
const group = (pending: boolean, ...names: string[]) => ({ sources: names.map(cid), pending });

describe('which archives are merged', () => {
  test('small ones, up to the size of one archive; what waits for upload apart', () => {
    const plan = planMerge(
      [
        archive('a', MB * 0.4),
        archive('waits 1', 10, { pending: true }),
        archive('b', MB * 0.4),
        archive('big', MB * 0.5),
        archive('c', MB * 0.4),
        archive('d', MB * 0.4),
        archive('waits 2', 10, { pending: true }),
        archive('e', MB * 0.4),
      ],
      () => true,
    );
    // The last one is alone, and stays.
    expect(plan).toEqual([group(true, 'waits 1', 'waits 2'), group(false, 'a', 'b'), group(false, 'c', 'd')]);
  });

  test('those of the sizes that are chosen alone, and never one by itself', () => {
    const all = [archive('a', 10), archive('b', 100), archive('c', 20)];
    expect(planMerge(all, ({ bytes }) => bytes < 50)).toEqual([group(false, 'a', 'c')]);
    expect(planMerge(all, ({ bytes }) => bytes > 50)).toEqual([]);
  });
});

describe('[R11] which archives are written anew without what is dead', () => {
  test('the small ones together, and big ones of which a quarter is dead', () => {
    const worn = archive('worn', MB, { deadBytes: MB / 4 });
    const sound = archive('sound', MB, { deadBytes: MB / 4 - 1 });
    expect(planSweep([archive('a', 10), archive('b', 10), sound, worn])).toEqual([
      group(false, 'a', 'b', 'worn'),
    ]);
    expect(planSweep([worn, { ...worn, cid: cid('waits'), pending: true }])).toEqual([
      group(true, 'waits'),
      group(false, 'worn'),
    ]);
  });

  test('two small ones become one, though nothing in them is dead', () => {
    expect(planSweep([archive('a', 100), archive('b', 100)])).toEqual([group(false, 'a', 'b')]);
  });

  test('a single small one is left alone unless it is worn', () => {
    expect(planSweep([archive('a', 100)])).toEqual([]);
    expect(planSweep([archive('a', 100, { deadBytes: 25 })])).toEqual([group(false, 'a')]);
  });

  test('once there is half as much again; beside writers when the rest is small, or there is four times as much', () => {
    expect([isWorthCompacting(2 * MB, MB), isWorthCompacting(2 * MB + 1, MB)]).toEqual([false, true]);
    expect([isCompactingOverdue(2 * MB, MB), isCompactingOverdue(2 * MB + 1, MB)]).toEqual([false, true]);
    expect([isWorthCompacting(16 * MB, 10 * MB), isCompactingOverdue(16 * MB, 10 * MB)]).toEqual([
      true,
      false,
    ]);
    expect([isCompactingOverdue(35.5 * MB, 10 * MB), isCompactingOverdue(35.6 * MB, 10 * MB)]).toEqual([
      false,
      true,
    ]);
  });
});
