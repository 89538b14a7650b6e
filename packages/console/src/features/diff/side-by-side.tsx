import { useMemo } from 'react';
import { toPlain } from '../../values/plain-json.ts';
import { diffLines, type LinePair, withContext } from './line-diff.ts';

export interface SideBySideProps {
  /** Undefined: the document didn't exist. */
  readonly before: object | undefined;
  readonly after: object | undefined;
  readonly beforeLabel: string;
  readonly afterLabel: string;
}

/** Shows two documents as JSON with their differences; stacked on small screens. */
export function SideBySide({ before, after, beforeLabel, afterLabel }: SideBySideProps) {
  const rows = useMemo(() => withContext(diffLines(linesOf(before), linesOf(after))), [before, after]);
  return (
    <div className="overflow-hidden rounded-md border border-line bg-surface font-mono text-xs leading-5">
      <table className="w-full table-fixed border-collapse max-md:block">
        <thead className="max-md:block">
          <tr className="border-b border-line bg-hover text-left max-md:block">
            <th scope="col" className="px-3 py-1.5 font-medium max-md:block">
              <span aria-hidden className="mr-1.5 text-ink-3">
                -
              </span>
              {beforeLabel}
            </th>
            <th
              scope="col"
              className="border-line px-3 py-1.5 font-medium max-md:block max-md:pt-0 md:border-l"
            >
              <span aria-hidden className="mr-1.5 text-history">
                +
              </span>
              {afterLabel}
            </th>
          </tr>
        </thead>
        <tbody className="max-md:block">
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key
            <Line key={at} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Line({ row }: { row: LinePair | number }) {
  if (typeof row === 'number')
    return (
      <tr className="max-md:block">
        <td colSpan={2} className="bg-hover px-3 font-sans text-ink-3 max-md:block">
          {row === 1 ? '1 equal line' : `${row.toLocaleString('en')} equal lines`}
        </td>
      </tr>
    );
  const { before, after } = row;
  const isSame = before === after;
  return (
    <tr className="align-top max-md:block">
      <Side line={before} mark={isSame ? 'same' : 'removed'} />
      <Side line={after} mark={isSame ? 'again' : 'added'} />
    </tr>
  );
}

const LOOK = {
  same: '',
  again: 'max-md:!hidden',
  removed: 'bg-hover text-ink-2',
  added: 'bg-history-soft text-history',
};
const SIGN = { same: ' ', again: ' ', removed: '-', added: '+' };

function Side({ line, mark }: { line: string | undefined; mark: keyof typeof LOOK }) {
  const look = line === undefined ? 'max-md:!hidden bg-hover' : LOOK[mark];
  return (
    <td
      className={`border-line px-3 break-words whitespace-pre-wrap max-md:block md:not-first:border-l ${look}`}
    >
      {line !== undefined && (
        <>
          <span aria-hidden className="mr-1.5 select-none">
            {SIGN[mark]}
          </span>
          {mark === 'removed' && <Removed line={line} />}
          {mark === 'added' && <ins className="no-underline">{line}</ins>}
          {(mark === 'same' || mark === 'again') && line}
        </>
      )}
    </td>
  );
}

/** Strikes a line through, but not its indentation. */
function Removed({ line }: { line: string }) {
  const text = line.trimStart();
  return (
    <>
      {line.slice(0, line.length - text.length)}
      <del className="line-through decoration-ink-3">{text}</del>
    </>
  );
}

const linesOf = (value: object | undefined): readonly string[] =>
  value === undefined ? [] : (JSON.stringify(toPlain(value), undefined, 2) ?? '').split('\n');
