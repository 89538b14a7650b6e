import type { BridgedDatabase } from 'fixpoint/bridge';
import { useMemo } from 'react';
import { fieldLabel } from '../../../values/field-label.ts';
import type { People } from '../../../values/who-wrote.ts';
import { type Choice, chosenValue } from '../choices/merge-choices.ts';
import { type Difference, differencesOf, keyOf, merged, withValue } from '../choices/merge-fields.ts';
import { parseDocumentText } from '../document/document-text.ts';
import { type Draft, isExact, takeMerged, underneath } from '../document/draft.ts';
import type { LiveDraft } from '../document/live-draft.ts';
import type { Clashes } from '../fields/field-edits.ts';
import { withValueAt } from '../fields/json-tree.ts';
import { useLatestAuthor } from './side-facts.ts';
import { useUndoableChange } from './undoable-change.ts';

export interface ClashesOptions {
  readonly database: BridgedDatabase;
  readonly draft: Draft;
  readonly live: LiveDraft;
  readonly people: People | undefined;
  readonly isOn: boolean;
}

/** Returns the edited fields that somebody else changed too; undefined without any. */
export function useClashes({ database, draft, live, people, isOn }: ClashesOptions): Clashes | undefined {
  const { base, stored, parsed } = draft;
  const byKey = useMemo(() => {
    if (!isOn || underneath(draft) !== 'changed') return undefined;
    if (base === undefined || stored === undefined || parsed.problem !== undefined) return undefined;
    if (!isExact(stored)) return undefined;
    const both = differencesOf(base, parsed.fields, stored).filter(({ by }) => by === 'both');
    return new Map(both.map((one): [string, Difference] => [keyOf(one), one]));
  }, [draft, base, stored, parsed, isOn]);
  const { person } = useLatestAuthor(database, byKey === undefined ? undefined : draft.id, people);
  const change = useUndoableChange(live);
  return useMemo(
    () =>
      byKey && {
        person,
        byKey,
        decide: (difference, choice) =>
          change(`${SAID[choice.how]} ${difference.path.map(fieldLabel).join(' › ')}.`, (now) =>
            withDecision(now, difference, choice),
          ),
      },
    [byKey, person, change],
  );
}

const SAID = {
  mine: 'Kept your value of',
  theirs: 'Took the other value of',
  both: 'Combined both edits of',
  own: 'Changed',
} as const;

/**
 * Returns the draft after the user decided one field that somebody else changed too. After the last
 * decision, the draft also gets the fields that only somebody else changed.
 */
export function withDecision(draft: Draft, difference: Difference, choice: Choice): Draft {
  const { base, stored, parsed } = draft;
  if (base === undefined || stored === undefined || parsed.problem !== undefined) return draft;
  const { path, theirs } = difference;
  const value = chosenValue(difference, choice);
  const decided = withValue(base, path, theirs);
  const mine = withValue(parsed.fields, path, value);
  const left = differencesOf(decided, mine, stored);
  if (!left.some(({ by }) => by === 'both'))
    return takeMerged(
      draft,
      merged(stored, left, (one) => (one.by === 'mine' ? one.mine : one.theirs)),
    );
  const text = choice.how === 'mine' ? draft.text : withValueAt(draft.text, path, value);
  const revision = draft.revision + 1;
  return { ...draft, base: decided, text, revision, parsed: parseDocumentText(text, draft.id) };
}
