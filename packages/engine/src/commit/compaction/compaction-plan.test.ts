import { LIMITS } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../../base/bytes.ts';
import { type Cid, cidOf, RAW } from '../../codec/cid.ts';
import { planMerge, planSweep } from './compaction-plan.ts';

const MB = LIMITS.archiveBytesThreshold;
const cid = (name: string): Cid => cidOf(RAW, utf8(name));
const archive = (name: string, bytes: number, { pending = false, deadBytes = 0 } = {}) => ({
  cid: cid(name),
  bytes,
  pending,
  deadBytes,
});
const group = (pending: boolean, ...names: string[]) => ({ sources: names.map(cid), pending });

describe('planning of merges', () => {
  test('merges small archives up to the maximum size, and keeps pending uploads separate', () => {
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
    // The last archive is alone in its group, so the plan doesn't rewrite it.
    expect(plan).toEqual([group(true, 'waits 1', 'waits 2'), group(false, 'a', 'b'), group(false, 'c', 'd')]);
  });

  test('merges only archives of the chosen sizes, and merges nothing if only one has such a size', () => {
    const all = [archive('a', 10), archive('b', 100), archive('c', 20)];
    expect(planMerge(all, ({ bytes }) => bytes < 50)).toEqual([group(false, 'a', 'c')]);
    expect(planMerge(all, ({ bytes }) => bytes > 50)).toEqual([]);
  });
});

describe('[R11] planning of sweeps', () => {
  test('rewrites small archives together, and big archives in which a quarter of the bytes is dead', () => {
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

  test('merges two small archives even if nothing in them is dead', () => {
    expect(planSweep([archive('a', 100), archive('b', 100)])).toEqual([group(false, 'a', 'b')]);
  });

  test('does not rewrite a single small archive unless a quarter of its bytes is dead', () => {
    expect(planSweep([archive('a', 100)])).toEqual([]);
    expect(planSweep([archive('a', 100, { deadBytes: 25 })])).toEqual([group(false, 'a')]);
  });
});
