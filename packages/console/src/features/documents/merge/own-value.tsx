import { useId } from 'react';
import type { OwnChoice } from '../choices/merge-choices.ts';
import { hasSpecial, isInexpressible, jsonOf, linksIn, readOwnJson } from '../choices/own-json.ts';

export interface OwnValueProps {
  readonly label: string;
  /** The values that the user chooses between. */
  readonly versions: readonly unknown[];
  readonly choice: OwnChoice;
  readonly onChoose: (choice: OwnChoice) => void;
}

/** Takes a text as it is typed if the versions are texts, and other values as JSON. */
export function OwnValue({ label, versions, choice, onChoose }: OwnValueProps) {
  const hint = useId();
  const isText = isTextOnly(versions);
  const links = linksIn(versions);
  const text = choice.text ?? (isText ? String(choice.value) : jsonOf(choice.value));
  const problem = isText ? undefined : readOwnJson(text, links).problem;
  const take = (next: string) => {
    if (isText) return onChoose({ how: 'own', value: next, text: next });
    const read = readOwnJson(next, links);
    const value = read.problem === undefined ? read.value : choice.value;
    onChoose({ how: 'own', value, text: next });
  };
  return (
    <div className="md:col-start-2 md:col-end-4">
      <textarea
        aria-label={label}
        aria-invalid={problem !== undefined}
        aria-describedby={hint}
        dir="auto"
        spellCheck={isText}
        rows={Math.min(10, Math.max(2, text.split('\n').length))}
        className={`w-full rounded-md border border-control-line bg-surface px-2 py-1.5 text-sm -outline-offset-1 aria-invalid:border-conflict max-sm:text-[1rem] ${isText ? '' : 'font-mono'}`}
        value={text}
        onChange={({ target }) => take(target.value)}
      />
      <div id={hint} className="text-xs">
        {!isText && <p className="text-ink-3">{hintFor(versions)}</p>}
        <p role="status" className="text-conflict empty:hidden">
          {problem !== undefined && `${problem} The last valid value is used.`}
        </p>
      </div>
    </div>
  );
}

/** Returns whether the user writes plain text, without quotes. */
const isTextOnly = (versions: readonly unknown[]): boolean => {
  const values = versions.filter((value) => value !== undefined);
  return values.length > 0 && values.every((value) => typeof value === 'string');
};

const hintFor = (versions: readonly unknown[]): string =>
  versions.some(hasSpecial)
    ? 'JSON, with bytes as {"/": {"bytes": "base64"}} and links as {"/": "id"}. New links can’t be written here.'
    : 'JSON, with text in quotes.';

/** Says why the user can't write a value of their own; undefined if they can. */
export const whyNoOwn = (versions: readonly unknown[]): string | undefined =>
  versions.some(isInexpressible)
    ? 'You can’t write this value yourself: it contains an integer that JSON can’t express.'
    : undefined;
