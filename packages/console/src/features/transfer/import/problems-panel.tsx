import { TriangleAlert } from 'lucide-react';
import { useId } from 'react';
import { Button } from '../../../ui/button.tsx';
import { type CheckedFile, countFates, type FoundProblem, type KindFound } from './check-import.ts';
import { asciiId, type Choices, FIXED, KINDS, type Kind, maskOf, SKIPPED, TEXTS } from './problems.ts';
import { count, type Import } from './use-import.ts';
import { isUndoable } from './write-import.ts';

/** Problems listed before the list says that there are more. */
const LINES_MAX = 20;

/** Lists the problems of a file, and what the import does about them. */
export function ProblemsPanel({ now, shown }: { now: Import; shown: CheckedFile }) {
  const { choices, choose } = now;
  const kinds = KINDS.flatMap((kind) => shown.kinds.find((one) => one.kind === kind) ?? []);
  const problems = kinds.filter(({ kind }) => kind !== 'exists');
  const keepExists = (all: Choices): Choices => ({ ...all, exists: choices.exists });
  return (
    <section
      aria-label="Problems"
      className="flex flex-col border-line max-lg:border-t lg:min-h-0 lg:overflow-y-auto lg:border-l"
    >
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-3">
        <div className="min-w-0 grow">
          <h3 className="text-base font-semibold">{headline(shown)}</h3>
          {problems.length > 0 && (
            <p className="text-xs text-ink-3">Each has a suggestion. Change any of them.</p>
          )}
        </div>
        {problems.length > 0 && (
          <div className="flex gap-2">
            <Button size="sm" onClick={() => choose(keepExists(SKIPPED))}>
              Skip these
            </Button>
            <Button size="sm" onClick={() => choose(keepExists(FIXED))}>
              Fix these
            </Button>
          </div>
        )}
      </div>
      <ul>
        {kinds.map((found) => (
          <KindItem key={found.kind} found={found} chosen={choices[found.kind]} choose={choose} />
        ))}
      </ul>
      <Summary now={now} />
    </section>
  );
}

/** Returns how many problems a file has. Documents that exist already aren't problems. */
export function headline({ masks, kinds }: CheckedFile): string {
  const problems = kinds.filter(({ kind }) => kind !== 'exists');
  if (problems.length === 0) return 'No problems';
  const bits = maskOf(problems);
  let rows = 0;
  for (const [mask, number] of masks) if ((mask & bits) !== 0) rows += number;
  return `${count(problems.length, 'problem', 'problems')} in ${count(rows, 'row', 'rows')}`;
}

function KindItem(props: { found: KindFound; chosen: string; choose: Import['choose'] }) {
  const { found, chosen, choose } = props;
  const { kind, rows } = found;
  const { title, note } = TEXTS[kind];
  const [first] = found.found;
  const id = useId();
  return (
    <li className="border-b border-line px-4 py-2.5">
      <p className="flex items-center gap-2">
        <TriangleAlert size={14} aria-hidden className="shrink-0 text-conflict" />
        <span id={id} className="font-medium">
          {title}
        </span>
        <span className="ml-auto text-xs text-ink-3 tabular-nums">{count(rows, 'row', 'rows')}</span>
      </p>
      {first !== undefined && (
        <p className="mt-0.5 mb-1.5 ml-5.5 text-xs text-ink-2">
          <Example problem={first} /> {first.why ?? note}
        </p>
      )}
      <fieldset aria-labelledby={id} className="ml-5.5 flex max-w-max flex-wrap rounded-md bg-hover p-0.5">
        {choicesOf(kind, first).map(({ value, label }) => (
          <label
            key={value}
            className="relative flex min-h-6 sm:pointer-coarse:min-h-8 cursor-pointer items-center rounded px-1.75 text-xs text-ink-2 has-checked:bg-surface has-checked:font-medium has-checked:text-ink has-checked:shadow-1 has-focus-visible:outline-2 has-focus-visible:outline-accent max-sm:min-h-10"
          >
            <input
              type="radio"
              name={id}
              className="absolute inset-0 cursor-pointer opacity-0"
              checked={chosen === value}
              onChange={() => choose({ [kind]: value })}
            />
            {label}
          </label>
        ))}
      </fieldset>
      <Lines found={found} />
    </li>
  );
}

/** Shows what a fix does to the only row with a problem. */
function choicesOf(kind: Kind, first: FoundProblem | undefined) {
  const { choices } = TEXTS[kind];
  if (kind !== 'id') return choices;
  const fixed = asciiId(first?.text);
  return choices.map((choice) =>
    choice.value === 'ascii' && fixed !== undefined && fixed.length < 24
      ? { ...choice, label: fixed }
      : choice,
  );
}

function Example({ problem: { text, path } }: { problem: FoundProblem }) {
  const field = path?.join('.') ?? '';
  return (
    <>
      {text !== undefined && text !== '' && (
        <code className="font-mono break-all text-ink">
          {text.length > 60 ? `${text.slice(0, 59)}…` : text}
        </code>
      )}
      {field !== '' && ` in ${field}`}
      {text !== undefined || field !== '' ? '.' : ''}
    </>
  );
}

const placeText = ({ line, column }: FoundProblem) =>
  `${line.toLocaleString('en')}${column === undefined || column === 1 ? '' : `, column ${column.toLocaleString('en')}`}`;

/** Lists the lines of the problems, with field and value. */
function Lines({ found }: { found: KindFound }) {
  const [first] = found.found;
  if (first === undefined) return null;
  if (found.found.length === 1)
    return <p className="mt-1 ml-5.5 text-xs text-ink-3 tabular-nums">Line {placeText(first)}</p>;
  const listed = found.found.slice(0, LINES_MAX);
  return (
    <details className="mt-1 ml-5.5 text-xs text-ink-3 tabular-nums">
      <summary className="cursor-pointer max-sm:py-2.5">
        Lines {found.found.slice(0, 3).map(placeText).join('; ')}
        {found.found.length > 3 && ' and more'}
      </summary>
      <ul className="mt-1">
        {listed.map((problem, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
          <li key={at} className="break-words">
            Line {placeText(problem)}: <Example problem={problem} /> {problem.why}
          </li>
        ))}
        {found.rows > listed.length && <li>and more</li>}
      </ul>
    </details>
  );
}

function Summary({ now: { check, choices } }: { now: Import }) {
  if (check === undefined) return null;
  const { added, replaced, kept, skipped } = countFates(check, choices);
  const lines: readonly (readonly [label: string, number: number])[] = [
    ['New documents', added],
    ['Replaced documents', replaced],
    ['Existing documents kept', kept],
    ['Skipped rows', skipped],
  ];
  const isLarge = !isUndoable(check, choices);
  return (
    <div className="mt-auto border-t border-line bg-sunken px-4 py-3 text-xs lg:sticky lg:bottom-0">
      <dl
        aria-label="What the import does"
        className="grid grid-cols-[1fr_auto] gap-x-2 text-ink-2 tabular-nums"
      >
        {lines.map(([label, number]) => (
          <div key={label} className="contents">
            <dt>{label}</dt>
            <dd className="text-right font-medium text-ink">{number.toLocaleString('en')}</dd>
          </div>
        ))}
      </dl>
      {isLarge && (
        <p className="mt-2 max-w-prose text-ink-2">
          This import is too large to undo. To be able to return, first export the documents of this database.
        </p>
      )}
    </div>
  );
}
