import { useMemo } from 'react';
import { CopyButton } from '../../../ui/text/copy-button.tsx';
import { textOfDocument, valueIn } from '../../../values/document-fields.ts';
import { toPlain } from '../../../values/plain-json.ts';
import { jsonLineMarks } from '../../editor/json-line-marks.ts';
import type { MergeChoices } from '../choices/merge-choices.ts';

const LINES_MAX = 500;

/** Where the value of a top-level field comes from. */
type From = 'mine' | 'theirs' | 'both' | 'open' | 'same';

export interface MergedDocumentProps {
  readonly choices: MergeChoices;
  /** Name of the other side. */
  readonly other: string;
}

/** Shows the merged document as JSON, with the side that each field comes from. */
export function MergedDocument({ choices, other }: MergedDocumentProps) {
  const { result, open } = choices;
  const { _id: _, ...fields } = result;
  const origins = originsOf(choices);
  const { text } = useMemo(() => textOfDocument(result), [result]);
  const names = Object.keys(fields);
  const used = new Set(names.map((name) => origins.get(name) ?? 'same'));
  return (
    <section aria-label="Merged document" className="flex min-h-0 flex-col lg:flex-1">
      <div className="flex h-10 shrink-0 items-center justify-between pr-2 pl-4">
        <h2 className="font-semibold">Merged document</h2>
        {open.length === 0 && <CopyButton text={text} label="Copy JSON" tone="quiet" size="sm" isShort />}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a text in a scroller, not a group of fields */}
      <div
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it
        tabIndex={0}
        aria-label="Merged document as JSON"
        className="min-h-0 overflow-y-auto py-1 font-mono text-xs leading-5.5 whitespace-pre-wrap wrap-anywhere -outline-offset-2 lg:flex-1"
      >
        <span className="block px-4">{'{'}</span>
        {names.map((name, at) => (
          <FieldLines
            key={name}
            name={name}
            value={valueIn(fields, name)}
            from={origins.get(name) ?? 'same'}
            isLast={at === names.length - 1}
          />
        ))}
        <span className="block px-4">{'}'}</span>
      </div>
      <ul
        aria-label="Legend"
        className="flex flex-wrap gap-x-3.5 gap-y-1 border-t border-line px-4 py-2.5 text-xs text-ink-2"
      >
        {LEGEND.filter(({ from }) => used.has(from)).map(({ from, text: label }) => (
          <li key={from} className="inline-flex items-center gap-1.5">
            <span aria-hidden className={`h-3 w-0.75 rounded-full ${BARS[from]}`} />
            {label ?? other}
          </li>
        ))}
      </ul>
    </section>
  );
}

const LEGEND: readonly { readonly from: Exclude<From, 'same'>; readonly text?: string }[] = [
  { from: 'mine', text: 'Mine' },
  { from: 'theirs' },
  { from: 'both', text: 'Both' },
  { from: 'open', text: 'Open' },
];

const BARS: Readonly<Record<Exclude<From, 'same'>, string>> = {
  mine: 'bg-accent',
  theirs: 'bg-(--c4)',
  both: 'bg-linear-to-b from-accent from-50% to-(--c4) to-50%',
  open: 'bg-conflict',
};

const LOOKS: Readonly<Record<From, string>> = {
  mine: 'border-accent bg-accent/8',
  theirs: 'border-(--c4) bg-(--c4)/12',
  both: 'border-accent bg-(--c4)/12',
  open: 'border-conflict bg-conflict-soft',
  same: 'border-transparent',
};

const SPOKEN: Readonly<Record<From, string>> = {
  mine: 'Mine: ',
  theirs: 'The other version: ',
  both: 'Both: ',
  open: 'Open: ',
  same: '',
};

function originsOf({ conflicts, automatic, choiceOf }: MergeChoices): ReadonlyMap<string, From> {
  const found = new Map<string, From>();
  for (const difference of [...automatic, ...conflicts]) {
    const [name = ''] = difference.path;
    const how = choiceOf(difference)?.how;
    const from: From = how === undefined ? 'open' : how === 'own' ? 'mine' : how;
    const known = found.get(name);
    const isOpen = known === 'open' || from === 'open';
    found.set(name, known === undefined || known === from ? from : isOpen ? 'open' : 'both');
  }
  return found;
}

interface FieldLinesProps {
  readonly name: string;
  readonly value: unknown;
  readonly from: From;
  readonly isLast: boolean;
}

function FieldLines({ name, value, from, isLast }: FieldLinesProps) {
  const json = from === 'open' ? undefined : JSON.stringify(toPlain(value), undefined, 2);
  const lines = `${JSON.stringify(name)}: ${json ?? ''}`.split('\n').map((line) => `  ${line}`);
  const shown = lines.slice(0, LINES_MAX);
  return (
    // A new value fades in.
    <span
      key={json}
      className={`block border-l-3 pr-4 pl-3.25 ${LOOKS[from]} ${from === 'same' ? '' : 'animate-appear'}`}
    >
      <span className="sr-only">{SPOKEN[from]}</span>
      {shown.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key
        <span key={at} className="block">
          <Coloured line={line} />
          {at === shown.length - 1 && from === 'open' && <span className="text-conflict">choose one</span>}
          {at === shown.length - 1 && shown.length < lines.length && '...'}
          {at === shown.length - 1 && !isLast && ','}
        </span>
      ))}
    </span>
  );
}

const COLOURS = {
  name: 'text-(--k-key)',
  text: 'text-(--k-str)',
  number: 'text-(--k-num)',
  word: 'text-(--k-word)',
} as const;

function Coloured({ line }: { line: string }) {
  const marks = jsonLineMarks(line);
  const parts = marks.map(({ from, to, kind }, at) => (
    <span key={from}>
      {line.slice(at === 0 ? 0 : marks[at - 1]?.to, from)}
      <span className={COLOURS[kind]}>{line.slice(from, to)}</span>
    </span>
  ));
  return (
    <>
      {parts}
      {line.slice(marks.at(-1)?.to ?? 0)}
    </>
  );
}
