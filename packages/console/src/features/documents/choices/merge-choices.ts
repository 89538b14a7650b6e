/** Keeps what the user chose for each difference of two versions. */
import { useMemo, useState } from 'react';
import type { Fields } from '../../../values/document-fields.ts';
import { bothOf } from './both-edits.ts';
import {
  type Decided,
  type Difference,
  differencesOf,
  keyOf,
  merged,
  type Side,
  same,
} from './merge-fields.ts';
import { useKept } from './use-kept.ts';

/** One side; the edits of both sides; or a value that the user wrote. */
export type Choice = { readonly how: Side } | { readonly how: 'both'; readonly value: unknown } | OwnChoice;
export type How = Choice['how'];

export interface OwnChoice {
  readonly how: 'own';
  readonly value: unknown;
  /** The text as typed, which may be invalid. */
  readonly text?: string;
}

export interface Versions {
  /** The newest version that both sides know; undefined if it isn't on this device. */
  readonly base: Fields | undefined;
  readonly mine: Fields;
  readonly theirs: Fields;
  /** The decisions from when the user merged earlier versions into `mine`. */
  readonly decided?: Decisions;
}

/** Decisions by the key of their difference. */
export type Decisions = ReadonlyMap<string, Decided>;

export interface MergeChoices {
  /** Fields that both sides changed, in the order of the document. */
  readonly conflicts: readonly Difference[];
  /** Fields that only one side changed. */
  readonly automatic: readonly Difference[];
  /** The conflicts without a choice. */
  readonly open: readonly Difference[];
  /** Differences that changed after the user chose. */
  readonly outdated: readonly Difference[];
  /** Whether the user chose anything that is still current. */
  readonly isTouched: boolean;
  readonly choiceOf: (difference: Difference) => Choice | undefined;
  /** Returns the value that the user wrote last, also if they chose another one since. */
  readonly ownOf: (difference: Difference) => OwnChoice | undefined;
  readonly choose: (difference: Difference, choice: Choice) => void;
  /** Chooses one side for all conflicts. */
  readonly chooseAll: (side: Side) => void;
  /** The merged document. Open conflicts have the value of the other side. */
  readonly result: Fields;
  /** Returns the decisions of this merge and earlier ones, for merging the next version. */
  readonly decisions: () => Decisions;
}

/** A choice, and the values that it was made between. */
interface Made {
  readonly choice: Choice;
  readonly of: Difference;
  readonly own: OwnChoice | undefined;
}

const NONE: ReadonlyMap<string, Made> = new Map();

export const chosenValue = (difference: Difference, choice: Choice): unknown =>
  'value' in choice ? choice.value : difference[choice.how];

/**
 * Returns the choices between two versions. A choice ends when one of its values changes, so that
 * nobody chooses against a value that they haven't seen.
 * @param page see {@link useKept}
 * @param name the name of the choices on this page
 */
export function useMergeChoices(versions: Versions, page?: object, name = ''): MergeChoices {
  const { base, mine, theirs, decided } = versions;
  const compared = useMemo(
    () => withDecisions({ base, mine, theirs, ...(decided && { decided }) }),
    [base, mine, theirs, decided],
  );
  const [own] = useState({});
  const [made, change] = useKept(page ?? own, `choices ${name}`, NONE);
  const differences = useMemo(
    () => compared.map((one) => withOpen(one, made.get(keyOf(one)))),
    [compared, made],
  );
  const madeOf = (difference: Difference) => made.get(keyOf(difference));
  const isMade = (difference: Difference) => {
    const found = madeOf(difference);
    return found !== undefined && isCurrent(found.of, difference);
  };
  const choiceOf = (difference: Difference): Choice | undefined => {
    const { by, theirs: other, decided: before } = difference;
    if (isMade(difference)) return madeOf(difference)?.choice;
    if (by !== 'both') return { how: by };
    return before?.rejected.some((one) => same(one, other)) === true ? { how: 'mine' } : undefined;
  };
  const choose = (of: readonly Difference[], choice: Choice) =>
    change(
      (now) =>
        new Map([
          ...now,
          ...of.map((one): [string, Made] => [
            keyOf(one),
            { of: one, choice, own: choice.how === 'own' ? choice : now.get(keyOf(one))?.own },
          ]),
        ]),
    );
  const conflicts = differences.filter(({ by }) => by === 'both');
  return {
    conflicts,
    automatic: differences.filter(({ by }) => by !== 'both'),
    open: conflicts.filter((one) => choiceOf(one) === undefined),
    outdated: differences.filter((one) => madeOf(one) !== undefined && !isMade(one)),
    isTouched: differences.some(isMade),
    choiceOf,
    ownOf: (difference) => madeOf(difference)?.own,
    choose: (of, choice) => choose([of], choice),
    chooseAll: (how) => choose(conflicts, { how }),
    result: merged(theirs, differences, (one) => {
      const choice = choiceOf(one);
      return choice === undefined ? one.theirs : chosenValue(one, choice);
    }),
    decisions: () =>
      new Map([
        ...(decided ?? []),
        ...differences.flatMap((one): [string, Decided][] => {
          const choice = one.by === 'both' || isMade(one) ? choiceOf(one) : undefined;
          return choice === undefined ? [] : [[keyOf(one), decision(one, chosenValue(one, choice))]];
        }),
      ]),
  };
}

/** Returns the differences, and which of them the user must decide. */
function withDecisions({ base, mine, theirs, decided }: Versions): readonly Difference[] {
  return differencesOf(base ?? {}, mine, theirs).map((one): Difference => {
    const before = decided?.get(keyOf(one));
    // Without the base, a missing field may be new on one side or removed on the other.
    if (before === undefined) return base === undefined ? { ...one, by: 'both' } : one;
    // A value that the user decided against must not replace their decision by itself.
    return { ...one, by: base !== undefined && one.by === 'mine' ? 'mine' : 'both', decided: before };
  });
}

const decision = (difference: Difference, value: unknown): Decided => ({
  value,
  rejected: [...(difference.decided?.rejected ?? []), difference.mine, difference.theirs].filter(
    (one) => !same(one, value),
  ),
});

/**
 * Returns the difference as a conflict if its values changed after the user chose: then no side is
 * preselected, and after the new choice it remains a conflict.
 */
const withOpen = (difference: Difference, made: Made | undefined): Difference =>
  made !== undefined && (made.of.by === 'both' || !isCurrent(made.of, difference))
    ? { ...difference, by: 'both' }
    : difference;

const isCurrent = (then: Difference, now: Difference): boolean =>
  same(then.was, now.was) && same(then.mine, now.mine) && same(then.theirs, now.theirs);

/** Returns the choice of both edits; undefined if the sides changed the same place. */
export function bothChoice({ was, mine, theirs }: Difference): Choice | undefined {
  const value = bothOf(was, mine, theirs);
  return value === undefined ? undefined : { how: 'both', value };
}
