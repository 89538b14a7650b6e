import type { CommitEvent } from 'fixpoint';
import type { PastState } from './states-of.ts';

const HEIGHT_MIN = 8;

/**
 * Returns the heights of bars in percent, oldest first: how many documents the commits changed. A
 * bar is for one commit, or for neighbouring ones if there are more than `most`. Heights grow with
 * the logarithm, so that a large import doesn't hide all other commits.
 * @param states newest first
 */
export function barsOf(
  states: readonly { readonly commit: Pick<CommitEvent, 'documents'> }[] | readonly PastState<CommitEvent>[],
  most: number,
): readonly number[] {
  const count = Math.min(states.length, most);
  const sums = new Array<number>(count).fill(0);
  for (const [at, { commit }] of states.entries()) {
    const bar = Math.floor((at * count) / states.length);
    sums[bar] = (sums[bar] ?? 0) + commit.documents;
  }
  const logs = sums.map((sum) => Math.log2(1 + sum)).reverse();
  const highest = Math.max(1, ...logs);
  return logs.map((log) => Math.max(HEIGHT_MIN, Math.round((log / highest) * 100)));
}
