import type { DocumentConflicts, DocumentVersion } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { type MergeStep, nextStep } from './merge-steps.ts';

const version = (event: string) => ({ event, device: `device of ${event}` }) as DocumentVersion;
const conflict = (...events: readonly string[]): DocumentConflicts => {
  const [winner = version(''), ...losers] = events.map(version);
  return { winner, losers };
};
const step = (...events: readonly [string, string]): MergeStep => ({
  events,
  merged: {},
  decided: new Map(),
  decidedFiles: new Map(),
});

/** Returns the events of the next two versions, and how many steps still apply. */
function next(of: DocumentConflicts, steps: readonly MergeStep[] = [], own?: string) {
  const found = nextStep(of, own, steps);
  return found && [found.start.event, found.other.event, found.done.length, found.count];
}

describe('the steps of a merge', () => {
  test('begins with the version of this device, or else with the one that is shown', () => {
    expect(next(conflict('a', 'b', 'c'), [], 'device of b')).toEqual(['b', 'a', 0, 3]);
    expect(next(conflict('a', 'b', 'c'), [], 'another')).toEqual(['a', 'b', 0, 3]);
  });

  test('continues with the next version', () => {
    expect(next(conflict('a', 'b', 'c'), [step('a', 'b')])).toEqual(['a', 'c', 1, 3]);
  });

  test('keeps a step while its versions are the same, whatever happens to others', () => {
    const steps = [step('a', 'b'), step('a', 'c')];
    expect(next(conflict('a', 'd', 'b', 'c'), steps)).toEqual(['a', 'd', 2, 4]);
    expect(next(conflict('a', 'b', 'c2'), steps)).toEqual(['a', 'c2', 1, 3]);
    expect(next(conflict('a', 'b2', 'c'), steps)).toEqual(['a', 'b2', 0, 3]);
    expect(next(conflict('a2', 'b', 'c'), steps)).toEqual(['a2', 'b', 0, 3]);
  });

  test('ends when all versions are merged', () => {
    expect(next(conflict('a', 'b'), [step('a', 'b')])).toBe(undefined);
  });
});
