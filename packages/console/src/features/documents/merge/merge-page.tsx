import { Check, ChevronLeft, ChevronRight, Equal, GitMerge, TriangleAlert } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { Avatar } from '../../../ui/avatar.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { useIsNarrow } from '../../../ui/use-is-narrow.ts';
import type { Fields } from '../../../values/document-fields.ts';
import { titleOfDocument } from '../../../values/document-title.ts';
import { fieldLabel } from '../../../values/field-label.ts';
import { shortId } from '../../../values/shown-id.ts';
import {
  type Decisions,
  type MergeChoices,
  useMergeChoices,
  type Versions,
} from '../choices/merge-choices.ts';
import { countSame, type Difference, differencesOf, keyOf, type Side } from '../choices/merge-fields.ts';
import type { FileDecisions, Files, FileVersion } from '../choices/merge-files.ts';
import { TitleActions } from '../document/title-actions.tsx';
import { AutomaticFields } from './automatic-fields.tsx';
import { FieldChoice, KeyHint } from './field-choice.tsx';
import { focusNext, useMergeKeys } from './merge-keys.ts';
import { MergeLines } from './merge-lines.tsx';
import { MergedDocument } from './merged-document.tsx';
import { MergedFiles, useFileChoices } from './merged-files.tsx';
import { useQuestion } from './merging.ts';
import type { SideFacts } from './side-facts.ts';

export interface MergePageProps extends Versions {
  readonly id: string | undefined;
  readonly mineFacts: SideFacts;
  readonly otherFacts: SideFacts;
  /** When the versions parted, in ms since 1970; undefined if nobody knows. */
  readonly baseMs?: number | undefined;
  /** The attached files of both versions; undefined for a text, which has none. */
  readonly files?: Files;
  /** Lasts as long as the page of the document; the choices are kept for it. */
  readonly page?: object;
  /** Tells the choices of this merge from others on the page. */
  readonly name?: string;
  /** Whether choices of an earlier step aren't saved yet. */
  readonly isUnsaved?: boolean;
  readonly isBusy?: boolean;
  /** Says what the button does. */
  readonly useText?: string;
  /** @param fields the merged document, with its files */
  readonly onMerge: (fields: Fields, decisions: Decisions, fileDecisions: FileDecisions) => void;
  readonly onCancel: () => void;
  /** Other documents that wait for a merge. */
  readonly children?: ReactNode;
}

/**
 * Shows the changes of two versions of a document, field by field. If both changed a field, the
 * user chooses. For other fields, the side that changed the field is preselected.
 */
export function MergePage(props: MergePageProps) {
  const { id, mine, theirs, page, name, isBusy = false, useText = 'Use the merged document' } = props;
  const { onMerge, onCancel, mineFacts, otherFacts } = props;
  const choices = useMergeChoices(props, page, name);
  const files = useFileChoices(props.files, page, name);
  const { conflicts, open } = choices;
  const isUnsaved = choices.isTouched || files.isTouched || props.isUnsaved === true;
  useQuestion(isUnsaved, () => true);
  const isNarrow = useIsNarrow();
  const part = useRef<HTMLElement>(null);
  const steps = useSteps(choices, part, isNarrow);
  useMergeKeys(part, steps.next);
  const otherName = firstNameOf(otherFacts) ?? 'The other';
  const mineName = firstNameOf(mineFacts) ?? mineFacts.name;
  const use = () => onMerge({ ...choices.result, ...files.result }, choices.decisions(), files.decisions());
  return (
    <section
      ref={part}
      aria-label="Merge"
      className={isNarrow ? 'flex flex-1 flex-col text-sm' : 'fills text-sm'}
    >
      <Actions {...{ isBusy, useText, onCancel }} {...choices} onUse={use} />
      <ChangedAgain {...{ mine, theirs }} outdated={choices.outdated} files={files.outdated} />
      <div className="min-h-0 flex-1 max-sm:-mx-4 max-sm:mb-4 max-sm:border-t max-sm:border-line sm:max-lg:overflow-y-auto lg:grid lg:grid-cols-[minmax(0,1fr)_19.75rem]">
        <div className="flex min-h-0 min-w-0 flex-col lg:overflow-y-auto">
          <Heads {...props} otherName={otherName} choices={choices} title={titleOfDocument(id, mine)} />
          {isNarrow && conflicts.length > 0 && <StepBar {...steps} count={conflicts.length} />}
          {conflicts.length === 0 && (
            <p className="border-b border-line px-4 py-3 text-ink-2">
              No field was changed in both versions. Check the merged document, then use it.
            </p>
          )}
          {(isNarrow ? conflicts.slice(steps.at, steps.at + 1) : conflicts).map((difference) => (
            <FieldChoice
              key={keyOf(difference)}
              difference={difference}
              choice={choices.choiceOf(difference)}
              own={choices.ownOf(difference)}
              isOutdated={choices.outdated.includes(difference)}
              mineLabel={mineFacts.name === 'Mine' ? 'My version' : mineFacts.name}
              onChoose={(choice) => choices.choose(difference, choice)}
            />
          ))}
          {(!isNarrow || steps.isAtEnd) && (
            <>
              <AutomaticFields choices={choices} otherName={otherName} otherPerson={otherFacts.person} />
              <MergedFiles
                choices={files}
                mine={mineFacts.name}
                other={otherName}
                otherPerson={otherFacts.person}
              />
              <SameFields count={countSame(mine, theirs)} />
              {props.children}
            </>
          )}
          {!isNarrow && <StatusBar hasConflicts={conflicts.length > 0} />}
        </div>
        {(!isNarrow || steps.isAtEnd) && (
          <aside
            aria-label="Result"
            className="flex min-h-0 flex-col border-line bg-sunken max-lg:border-t lg:border-l"
          >
            <MergeLines
              mine={mineName}
              other={otherName}
              baseMs={props.baseMs}
              isMerged={open.length === 0}
            />
            <MergedDocument choices={choices} other={otherName} />
          </aside>
        )}
      </div>
    </section>
  );
}

interface ActionsProps extends Pick<MergeChoices, 'open' | 'conflicts'> {
  readonly isBusy: boolean;
  readonly useText: string;
  readonly onCancel: () => void;
  readonly onUse: () => void;
}

function Actions({ open, conflicts, isBusy, useText, onCancel, onUse }: ActionsProps) {
  const isNarrow = useIsNarrow();
  return (
    <TitleActions beside={!isNarrow && <State open={open.length} all={conflicts.length} />}>
      <Button tone="quiet" onClick={onCancel}>
        Not now
      </Button>
      <Button
        tone="primary"
        disabled={isBusy || open.length > 0}
        title={open.length > 0 ? 'Choose a value for each field first' : undefined}
        onClick={onUse}
      >
        {useText}
      </Button>
    </TitleActions>
  );
}

const firstNameOf = ({ person }: SideFacts): string | undefined => person?.split(' ')[0];

interface ChangedAgainProps extends Pick<Versions, 'mine' | 'theirs'> {
  readonly outdated: readonly Difference[];
  /** Files that changed after the user decided about them. */
  readonly files: readonly FileVersion[];
}

/** Names the fields and files that changed while the user was choosing. */
function ChangedAgain({ mine, theirs, outdated, files }: ChangedAgainProps) {
  const [first] = useState({ mine, theirs });
  const changed = [differencesOf({}, first.mine, mine), differencesOf({}, first.theirs, theirs), outdated];
  const fileNames = [...new Set(files.map(({ name }) => name))];
  const names = [...new Set([...changed.flat().map(nameOf), ...fileNames])];
  if (names.length === 0) return null;
  return (
    <p
      role="alert"
      className="flex items-start gap-2 border-b border-conflict-line bg-conflict-soft px-4 py-2 max-sm:mb-4 max-sm:rounded-md max-sm:border"
    >
      <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-conflict" />
      <span className="min-w-0 wrap-anywhere">
        Somebody changed this document again while you were choosing: {listed(names)}.
        {outdated.length > 0 && ` Choose again for ${listed(outdated.map(nameOf))}.`}
        {fileNames.length > 0 && ` Check again whether to keep ${listed(fileNames)}.`}
      </span>
    </p>
  );
}

const nameOf = ({ path }: Difference): string => path.map(fieldLabel).join(' › ');

const NAMED_MAX = 5;

const listed = (names: readonly string[]): string =>
  names.length > NAMED_MAX
    ? `${names.slice(0, NAMED_MAX).join(', ')} and ${names.length - NAMED_MAX} more`
    : names.join(', ');

const State = ({ open, all }: { open: number; all: number }) => (
  <Badge tone={open > 0 ? 'decide' : 'accent'} live>
    {open > 0 ? <GitMerge size={12} aria-hidden /> : <Check size={12} aria-hidden />}
    {stateText(open, all)}
  </Badge>
);

function stateText(open: number, all: number): string {
  if (all === 0) return 'No conflicts';
  if (open === 0) return all === 1 ? '1 conflict decided' : `All ${all} conflicts decided`;
  return open === all ? `${all} ${all === 1 ? 'conflict' : 'conflicts'}` : `${open} of ${all} conflicts left`;
}

interface HeadsProps extends MergePageProps {
  readonly otherName: string;
  readonly choices: MergeChoices;
  readonly title: string;
}

/** Names the document and both sides, and chooses one side for all conflicts. */
function Heads({ id, title, mineFacts, otherFacts, otherName, choices, theirs }: HeadsProps) {
  const shown = title === 'New document' ? titleOfDocument(id, theirs) : title;
  const side = (how: Side, facts: SideFacts, text: string) => (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
      <Avatar name={facts.person} />
      <p className="mr-auto min-w-24 grow basis-24 leading-4.5">
        <b className="block font-semibold">{facts.name}</b>
        <span className="block truncate text-xs text-ink-3" title={facts.text}>
          {facts.text}
        </span>
      </p>
      {choices.conflicts.length > 0 && <Button onClick={() => choices.chooseAll(how)}>{text}</Button>}
    </div>
  );
  return (
    <div className="grid shrink-0 gap-x-3 gap-y-2 border-b border-line bg-sunken px-4 py-2.5 md:sticky md:top-0 md:z-5 md:grid-cols-[7.375rem_minmax(0,1fr)_minmax(0,1fr)]">
      <p className="min-w-0 self-center text-xs text-ink-3">
        <span className="block truncate" title={shown}>
          {shown}
        </span>
        {id !== undefined && <code className="block truncate font-mono">{shortId(id)}</code>}
      </p>
      {side('mine', mineFacts, mineFacts.name === 'Mine' ? 'Use mine' : 'Use this')}
      {side('theirs', otherFacts, otherFacts.person === undefined ? 'Use the other' : `Use ${otherName}’s`)}
    </div>
  );
}

function SameFields({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <p className="flex h-10 shrink-0 items-center gap-2 border-b border-line px-4 text-ink-3">
      <Equal size={14} aria-hidden />
      {count === 1 ? '1 field is' : `${count.toLocaleString('en')} fields are`} the same in both
    </p>
  );
}

function StatusBar({ hasConflicts }: { hasConflicts: boolean }) {
  return (
    <p className="mt-auto flex min-h-7.5 shrink-0 flex-wrap items-center gap-x-3 border-t border-line bg-surface px-4 text-xs text-ink-3 lg:sticky lg:bottom-0">
      <span className="mr-auto">Both versions stay in the history, whichever you choose.</span>
      {hasConflicts && <KeyHint text="Next conflict" keys="N" />}
    </p>
  );
}

interface Steps {
  /** The shown conflict on a phone; the number of conflicts at the end. */
  readonly at: number;
  readonly isAtEnd: boolean;
  readonly go: (to: number) => void;
  /** Goes to the next open conflict. */
  readonly next: () => void;
}

function useSteps(
  { conflicts, open }: MergeChoices,
  part: { readonly current: HTMLElement | null },
  isNarrow: boolean,
): Steps {
  const [step, setStep] = useState(0);
  const at = Math.min(step, conflicts.length);
  const next = () => {
    if (!isNarrow) return focusNext(part.current);
    const after = open.find((one) => conflicts.indexOf(one) > at) ?? open[0];
    setStep(after === undefined ? conflicts.length : conflicts.indexOf(after));
  };
  return { at, isAtEnd: at >= conflicts.length, go: setStep, next };
}

/** Leads from field to field on a phone. */
function StepBar({ at, isAtEnd, go, count }: Steps & { readonly count: number }) {
  return (
    <nav aria-label="Fields" className="flex items-center gap-2 border-b border-line px-4 py-2">
      <IconButton label="Previous field" disabled={at === 0} onClick={() => go(at - 1)}>
        <ChevronLeft size={18} aria-hidden />
      </IconButton>
      <p role="status" className="grow text-center text-xs text-ink-3 tabular-nums">
        {isAtEnd ? 'Result' : `Field ${at + 1} of ${count}`}
      </p>
      <IconButton
        label={at === count - 1 ? 'Result' : 'Next field'}
        disabled={isAtEnd}
        onClick={() => go(at + 1)}
      >
        <ChevronRight size={18} aria-hidden />
      </IconButton>
    </nav>
  );
}
