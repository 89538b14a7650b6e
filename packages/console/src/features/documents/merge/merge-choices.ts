/** Keeps what the user chose for each difference of two versions. */
import { useMemo, useState } from 'react';
import type { Fields } from '../../../values/document-fields.ts';
import { bothOf } from './both-edits.ts';
import { type Difference, differencesOf, keyOf, merged, type Side, same } from './merge-fields.ts';

/** One side; the edits of both sides; or a value that the user wrote. */
export type Choice = { readonly how: Side } | { readonly how: 'both' | 'own'; readonly value: unknown };
export type How = Choice['how'];

export interface Versions {
  /** The newest version that both sides know; undefined if it isn't on this device. */
  readonly base: Fields | undefined;
  readonly mine: Fields;
  readonly theirs: Fields;
}

export interface MergeChoices {
  /** Fields that both sides changed, in the order of the document. */
  readonly conflicts: readonly Difference[];
  /** Fields that only one side changed. */
  readonly automatic: readonly Difference[];
  /** The conflicts without a choice. */
  readonly open: readonly Difference[];
  readonly choiceOf: (difference: Difference) => Choice | undefined;
  readonly choose: (difference: Difference, choice: Choice) => void;
  /** Chooses one side for all conflicts. */
  readonly chooseAll: (side: Side) => void;
  /** The merged document. Open conflicts have the value of the other side. */
  readonly result: Fields;
}

/** A choice, and the values that it was made between. */
interface Made {
  readonly choice: Choice;
  readonly of: Difference;
}

export const chosenValue = (difference: Difference, choice: Choice): unknown =>
  'value' in choice ? choice.value : difference[choice.how];

/**
 * Returns the choices between two versions. A choice ends when one of its values changes, so that
 * nobody chooses against a value that they haven't seen.
 */
export function useMergeChoices({ base, mine, theirs }: Versions): MergeChoices {
  const differences = useMemo(() => {
    const found = differencesOf(base ?? {}, mine, theirs);
    // Without the base, a missing field may be new on one side or removed on the other.
    return base === undefined ? found.map((one): Difference => ({ ...one, by: 'both' })) : found;
  }, [base, mine, theirs]);
  const [made, setMade] = useState<ReadonlyMap<string, Made>>(new Map());
  const choiceOf = (difference: Difference): Choice | undefined => {
    const found = made.get(keyOf(difference));
    if (found !== undefined && isCurrent(found.of, difference)) return found.choice;
    return difference.by === 'both' ? undefined : { how: difference.by };
  };
  const conflicts = differences.filter(({ by }) => by === 'both');
  return {
    conflicts,
    automatic: differences.filter(({ by }) => by !== 'both'),
    open: conflicts.filter((one) => choiceOf(one) === undefined),
    choiceOf,
    choose: (of, choice) => setMade((now) => new Map(now).set(keyOf(of), { of, choice })),
    chooseAll: (how) =>
      setMade(
        (now) => new Map([...now, ...conflicts.map((of) => [keyOf(of), { of, choice: { how } }] as const)]),
      ),
    result: merged(theirs, differences, (one) => {
      const choice = choiceOf(one);
      return choice === undefined ? one.theirs : chosenValue(one, choice);
    }),
  };
}

const isCurrent = (then: Difference, now: Difference): boolean =>
  same(then.was, now.was) && same(then.mine, now.mine) && same(then.theirs, now.theirs);

/** Returns the choice of both edits; undefined if the sides changed the same place. */
export function bothChoice({ was, mine, theirs }: Difference): Choice | undefined {
  const value = bothOf(was, mine, theirs);
  return value === undefined ? undefined : { how: 'both', value };
}
