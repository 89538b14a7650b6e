import {
  type CSSProperties,
  type KeyboardEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { Button } from '../../ui/button.tsx';
import { type KnownPath, type Suggestion, suggestionsAt, withSuggestion } from './complete-filter.ts';
import type { Filter } from './filter.ts';
import { type Problem, parseFilter } from './parse-filter.ts';

export interface FilterFieldProps {
  /** The text to edit. */
  readonly text: string;
  readonly known: readonly KnownPath[];
  readonly onApply: (filter: Filter | undefined) => void;
  /** Called when the user gives up. */
  readonly onCancel: () => void;
}

/** Edits a filter as text, with suggestions, and with the position of a mistake. */
export function FilterField({ text: given, known, onApply, onCancel }: FilterFieldProps) {
  const [text, setText] = useState(given);
  const [caret, setCaret] = useState(given.length);
  const [scrolledPx, setScrolled] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const [chosen, choose] = useState(-1);
  const [wasTried, setTried] = useState(given !== '' && parseFilter(given).problem !== undefined);
  const { input, wantedCaret } = useInput();
  const ids = useId();
  const suggestions = suggestionsAt(text, caret, known);
  const all = isOpen ? suggestions.all : [];
  const { problem } = parseFilter(text);

  const edit = (next: string, at: number) => {
    setText(next);
    setCaret(at);
    choose(-1);
    setTried(false);
  };
  const accept = (suggestion: Suggestion) => {
    const next = withSuggestion(text, suggestions, suggestion);
    edit(next.text, next.caret);
    wantedCaret.current = next.caret;
    setOpen(true);
    input.current?.focus();
  };
  const apply = () => {
    setOpen(false);
    const parsed = parseFilter(text);
    if (parsed.problem === undefined) return onApply(parsed.filter);
    setTried(true);
    input.current?.focus();
    input.current?.setSelectionRange(parsed.problem.from, parsed.problem.to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const handled = keyed(event.key, { all, chosen, isOpen, choose, setOpen, accept, apply, onCancel });
    if (handled) event.preventDefault();
  };
  return (
    <div className="relative flex min-h-8.5 shrink-0 items-start gap-1.5 pr-3 pb-1.5 pl-4 max-sm:flex-wrap print:hidden">
      <div className="relative min-w-0 grow max-sm:basis-full">
        <input
          ref={input}
          role="combobox"
          aria-label="Filter as text"
          aria-expanded={all.length > 0}
          aria-controls={`${ids}list`}
          aria-autocomplete="list"
          aria-activedescendant={all[chosen] === undefined ? undefined : `${ids}${chosen}`}
          aria-invalid={wasTried && problem !== undefined}
          aria-describedby={`${ids}note`}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          placeholder='(scope = "M" or type = "A") and name not contains "creole"'
          value={text}
          className="h-(--control) w-full rounded-md border border-control-line bg-surface px-2.5 font-mono text-xs -outline-offset-1 placeholder:text-ink-3 max-sm:text-[1rem]"
          onChange={({ target }) => {
            edit(target.value, target.selectionStart ?? target.value.length);
            setScrolled(target.scrollLeft);
            setOpen(true);
          }}
          onSelect={({ currentTarget }) => {
            setCaret(currentTarget.selectionStart ?? text.length);
            setScrolled(currentTarget.scrollLeft);
          }}
          onKeyDown={onKeyDown}
          onBlur={() => setOpen(false)}
        />
        <SuggestionList {...{ all, chosen, ids, accept, scrolledPx }} from={suggestions.from} />
        <ProblemNote id={`${ids}note`} problem={wasTried ? problem : undefined} />
      </div>
      <Button tone="primary" onClick={apply}>
        Apply
      </Button>
      <Button onClick={onCancel}>Cancel</Button>
    </div>
  );
}

/** Focuses the input at first, and moves its caret after a render. */
function useInput() {
  const input = useRef<HTMLInputElement>(null);
  const wantedCaret = useRef<number>(undefined);
  useEffect(() => input.current?.focus(), []);
  useLayoutEffect(() => {
    const at = wantedCaret.current;
    wantedCaret.current = undefined;
    if (at !== undefined) input.current?.setSelectionRange(at, at);
  });
  return { input, wantedCaret };
}

interface Keys {
  readonly all: readonly Suggestion[];
  readonly chosen: number;
  readonly isOpen: boolean;
  choose(at: number): void;
  setOpen(isOpen: boolean): void;
  accept(suggestion: Suggestion): void;
  apply(): void;
  onCancel(): void;
}

/** Handles a key. Returns whether it had a meaning. */
function keyed(key: string, keys: Keys): boolean {
  const { all, chosen, isOpen, choose, setOpen, accept, apply, onCancel } = keys;
  const suggestion = all[chosen];
  switch (key) {
    case 'ArrowDown':
      if (!isOpen) setOpen(true);
      else if (all.length > 0) choose((chosen + 1) % all.length);
      return true;
    case 'ArrowUp':
      if (all.length > 0) choose(chosen <= 0 ? all.length - 1 : chosen - 1);
      return all.length > 0;
    case 'Enter':
      if (suggestion === undefined) apply();
      else accept(suggestion);
      return true;
    case 'Tab':
      if (suggestion === undefined) return false;
      accept(suggestion);
      return true;
    case 'Escape':
      if (all.length > 0) setOpen(false);
      else onCancel();
      return true;
    default:
      return false;
  }
}

function SuggestionList(props: {
  all: readonly Suggestion[];
  chosen: number;
  ids: string;
  accept: (suggestion: Suggestion) => void;
  /** Where the text that a suggestion replaces begins, and how far the input is scrolled. */
  from: number;
  scrolledPx: number;
}) {
  const { all, chosen, ids, accept, from, scrolledPx } = props;
  return (
    // The font of the input gives each letter the same width.
    <div
      className="absolute inset-x-0 top-full z-30 pl-[max(0px,min(calc(var(--from)*1ch-var(--scrolled)),100%-28rem))] font-mono text-xs max-sm:pl-0"
      style={{ '--from': from, '--scrolled': `${scrolledPx}px` } as CSSProperties}
    >
      <div
        role="listbox"
        id={`${ids}list`}
        aria-label="Suggestions"
        hidden={all.length === 0}
        className="mt-1 max-h-72 w-full max-w-md overflow-y-auto rounded-lg border border-line bg-surface p-1 font-sans shadow-3"
      >
        {all.map((one, at) => (
          // The input keeps the focus and handles the keys.
          <div
            key={one.text}
            role="option"
            id={`${ids}${at}`}
            tabIndex={-1}
            aria-selected={at === chosen}
            className={`flex min-h-7 cursor-pointer items-center gap-3 rounded px-2 text-sm max-sm:min-h-10 ${at === chosen ? 'bg-hover' : ''} hover:bg-hover`}
            onPointerDown={(event) => {
              event.preventDefault();
              accept(one);
            }}
          >
            <span className="min-w-0 truncate font-medium">{one.text}</span>
            <span className="ml-auto shrink-0 text-xs text-ink-3">{one.detail}</span>
          </div>
        ))}
      </div>
    </div>
  );
}

function ProblemNote({ id, problem }: { id: string; problem: Problem | undefined }) {
  return (
    <p id={id} role="status" className={problem === undefined ? 'sr-only' : 'mt-1 text-xs text-conflict'}>
      {problem === undefined
        ? 'Enter applies the filter. Arrow Down shows suggestions.'
        : problemText(problem)}
    </p>
  );
}

const problemText = ({ message, from }: Problem): string => `Column ${from + 1}: ${message}.`;
