import type { Database } from 'fixpoint';
import { History, Redo2, TriangleAlert, Undo2 } from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { warnWhile } from '../leaving/ask-before-leaving.ts';
import { Button } from '../ui/button.tsx';
import { isMac, keyNames, PAGE_SHORTCUTS } from '../ui/shortcut-table.ts';
import { KeyHint } from '../ui/text/kbd.tsx';
import { cellText } from '../values/cell-text.ts';
import { fieldLabel } from '../values/field-label.ts';
import { shownId } from '../values/shown-id.ts';
import { truncate } from '../values/truncate.ts';
import { NOBODY, type People, whoWrote } from '../values/who-wrote.ts';
import {
  activate,
  documentsText,
  type Overwrite,
  type Question,
  type UndoStack,
  undoStackOf,
} from './undo-stack.ts';

type Histories = Pick<Database, 'history' | 'device'>;

export interface UndoBarProps {
  readonly database: Pick<Database, 'name'> & Histories;
  /** The people who have access to the database. */
  readonly people?: People | undefined;
}

const ICON = { size: 14, 'aria-hidden': true } as const;
const BAR = 'undo-bar flex min-h-9 flex-wrap items-center gap-x-2 border-t px-4 py-0.5 text-xs print:hidden';

/**
 * Names the latest step in a database, and undoes and redoes steps. While it is in the page, keys
 * and commands do the same. Asks before the changes of others would be lost.
 */
export function UndoBar({ database, people = NOBODY }: UndoBarProps) {
  const { name } = database;
  const stack = useMemo(() => undoStackOf(name), [name]);
  useEffect(() => activate(stack), [stack]);
  const { done, undone, news, hasFailed, question, isBusy } = useSyncExternalStore(
    stack.subscribe,
    stack.current,
  );
  // Closing the page would interrupt the step.
  useEffect(() => (isBusy ? warnWhile(() => true) : undefined), [isBusy]);
  const isEmpty = done.length === 0 && undone.length === 0 && question === undefined;
  // The live region must be in the page before its text changes.
  return (
    <section
      aria-label="Undo"
      className={
        isEmpty && news === ''
          ? 'undo-bar sr-only'
          : `${BAR} ${question === undefined ? 'border-line bg-surface text-ink-3' : 'border-conflict-line bg-conflict-soft text-ink'}`
      }
    >
      {question === undefined ? (
        <>
          {news !== '' && <History {...ICON} className="shrink-0" />}
          <p
            key={hasFailed ? 'failure' : 'news'}
            role={hasFailed ? 'alert' : 'status'}
            className={`min-w-0 flex-1 truncate ${hasFailed ? 'text-conflict' : ''}`}
            title={news}
          >
            {news}
          </p>
          {!isEmpty && (
            <span className="flex shrink-0 gap-1">
              <StepButton {...{ stack, isBusy }} direction="undo" label={done.at(-1)?.label} />
              <StepButton {...{ stack, isBusy }} direction="redo" label={undone.at(-1)?.label} />
            </span>
          )}
        </>
      ) : (
        <Asking key={question.others.length} {...{ database, people, stack, question }} />
      )}
    </section>
  );
}

const PARTS = {
  undo: { text: 'Undo', icon: <Undo2 {...ICON} />, keys: 'Control+Z Meta+Z' },
  redo: { text: 'Redo', icon: <Redo2 {...ICON} />, keys: 'Control+Shift+Z Meta+Shift+Z' },
};

/** @param label what the next step did; undefined if there is no step */
function StepButton(props: {
  stack: UndoStack;
  isBusy: boolean;
  direction: keyof typeof PARTS;
  label: string | undefined;
}) {
  const { stack, isBusy, direction, label } = props;
  const { text, icon, keys } = PARTS[direction];
  if (direction === 'redo' && label === undefined) return null;
  // Stays focusable while a step runs, so that the focus isn't lost.
  return (
    <Button
      tone="quiet"
      size="sm"
      aria-disabled={isBusy}
      aria-keyshortcuts={keys}
      disabled={label === undefined}
      title={label === undefined ? undefined : `${text}: ${label}`}
      onClick={() => void stack.run(direction)}
    >
      {icon} {text}
      <KeyHint
        strokes={keyNames(PAGE_SHORTCUTS[direction].keys[0], isMac())}
        className="border border-line"
      />
    </Button>
  );
}

interface AskingProps {
  readonly database: Histories;
  readonly people: People;
  readonly stack: UndoStack;
  readonly question: Question;
}

/** Asks whether to overwrite the changes of others, and returns the focus after the answer. */
function Asking({ database, people, stack, question }: AskingProps) {
  const { direction, step, others, written } = question;
  const who = useAuthors(database, people, others);
  const cancel = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    cancel.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    void stack.answer(undefined);
  };
  const verb = PARTS[direction].text;
  const left = written === undefined ? (step.documents ?? 1) - others.length : 0;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be a flex container in all browsers
    <div
      role="group"
      aria-label={`${verb} “${step.label}”`}
      className="flex w-full flex-wrap items-center gap-x-2 gap-y-1 py-1"
      onKeyDown={onKeyDown}
    >
      <TriangleAlert {...ICON} className="shrink-0 text-conflict" />
      <div role="alert" className="min-w-0 flex-1 basis-60">
        <p>{textOf(question, who)}</p>
        <ul>
          {others.slice(0, SHOWN).map((other) => (
            <li key={other.id} className="truncate text-ink-2">
              {changeText(other)}
            </li>
          ))}
        </ul>
      </div>
      {left > 0 && (
        <Button size="sm" onClick={() => void stack.answer('rest')}>
          {verb} the other {left.toLocaleString('en')}
        </Button>
      )}
      <Button size="sm" onClick={() => void stack.answer('all')}>
        {left > 0 ? `${verb} all` : `${verb} anyway`}
      </Button>
      <Button ref={cancel} tone="quiet" size="sm" onClick={() => void stack.answer(undefined)}>
        Cancel
      </Button>
    </div>
  );
}

const SHOWN = 3;
const VALUE_CHARS = 40;
const ID_CHARS = 40;

function useAuthors(database: Histories, people: People, others: readonly Overwrite[]): string {
  const [who, setWho] = useState('Somebody');
  useEffect(() => {
    let isOver = false;
    const ids = changedIn(others)
      .slice(0, SHOWN)
      .map(({ id }) => id);
    authorsOf(database, ids, people).then(
      (names) => !isOver && names.length > 0 && setWho(names.join(' and ')),
      // Without the history, the question names nobody.
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [database, people, others]);
  return who;
}

const changedIn = (others: readonly Overwrite[]): readonly Overwrite[] =>
  others.filter(({ hasConflict }) => hasConflict !== true);

function textOf({ direction, step, others }: Question, who: string): string {
  const { documents = 1 } = step;
  const changed = changedIn(others);
  const open = others.length - changed.length;
  const what = (count: number) =>
    documents === 1 ? 'this document' : `${documentsText(count)} of ${documents.toLocaleString('en')}`;
  const did = changed.every(({ isGone }) => isGone) ? 'deleted' : 'changed';
  const reasons = [
    changed.length > 0 && `${who} ${did} ${what(changed.length)} since.`,
    open > 0 && `Nobody has merged the versions of ${what(open)}.`,
  ].filter(Boolean);
  const name = direction === 'undo' ? 'Undoing' : 'Redoing';
  const effect = open > 0 ? 'would keep only one version' : 'would overwrite that';
  return `${reasons.join(' ')} ${name} “${step.label}” ${effect}:`;
}

function changeText({ id, isGone, fields, hasConflict }: Overwrite): string {
  const name = truncate(shownId(id), ID_CHARS);
  if (hasConflict === true) return `${name} has a conflict`;
  if (isGone) return `${name} was deleted`;
  const [first, ...more] = fields;
  if (first === undefined) return `${name} was created again`;
  const value =
    first.now === undefined ? 'was removed' : `is now ${truncate(quoted(first.now), VALUE_CHARS)}`;
  const rest = more.length > 0 ? `, and ${more.length} more` : '';
  return `${name}: ${fieldLabel(first.field)} ${value}${rest}`;
}

const quoted = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : cellText(value);

/** Returns who wrote the latest versions of documents, each name once. @throws FixpointError */
async function authorsOf(
  database: Histories,
  ids: readonly string[],
  people: People,
): Promise<readonly string[]> {
  const own = await database.device();
  const latest = await Promise.all(ids.map((id) => database.history(id, { limit: 1 })));
  const names = latest.flatMap(([version]) => (version === undefined ? [] : [nameOf(version, own, people)]));
  return [...new Set(names)];
}

function nameOf(version: Parameters<typeof whoWrote>[0], own: string | undefined, people: People): string {
  const { name, isPerson, device } = whoWrote(version, own, people);
  if (isPerson) return name;
  // This tab recorded no step for the change.
  if (version.device !== undefined && version.device === own) return 'Another tab on this device';
  return device === undefined ? name.replace('Unknown author', 'Somebody') : `${name} on ${device}`;
}
