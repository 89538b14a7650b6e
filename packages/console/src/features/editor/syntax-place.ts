/** Finds the place in a map function that an error is about. */
import { javascriptLanguage } from '@codemirror/lang-javascript';

export interface Place {
  /** From 1, as editors count. */
  readonly line: number;
  readonly column: number;
}

/**
 * Returns the place of the first syntax error, or of a name that isn't defined. QuickJS names the
 * line and column of a token before it, or none.
 */
export function placeOfProblem(source: string, message: string): Place | undefined {
  // A map function is an expression, so it isn't parsed as a statement.
  const text = `(${source.trimEnd().replace(/;+$/, '')}\n)`;
  const missing = /^'?([\p{L}\p{N}_$]+)'? is not defined$/u.exec(message)?.[1];
  const tree = javascriptLanguage.parser.parse(text);
  let found: number | undefined;
  tree.iterate({
    enter: ({ type, from, to }) => {
      if (found !== undefined) return false;
      const isMissing =
        missing !== undefined && type.name === 'VariableName' && text.slice(from, to) === missing;
      if (type.isError || isMissing) found = tokenFrom(text, from);
      return undefined;
    },
  });
  return found === undefined ? undefined : placeAt(source, Math.max(0, found - 1));
}

/** Skips spaces, which the parser counts to the error. */
function tokenFrom(text: string, from: number): number {
  const spaces = /^\s*/.exec(text.slice(from))?.[0].length ?? 0;
  // At the end of the text, the place is after the last token.
  return from + spaces >= text.length - 1 ? text.slice(0, -2).trimEnd().length : from + spaces;
}

function placeAt(source: string, at: number): Place {
  const lines = source.slice(0, at).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
