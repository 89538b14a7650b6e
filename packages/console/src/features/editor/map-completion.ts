/** Completes map functions: document fields after `doc.`, and the two arguments. */
import type {
  Completion,
  CompletionContext,
  CompletionResult,
  CompletionSource,
} from '@codemirror/autocomplete';

/** Describes a name offered for completion. */
export interface KnownField {
  readonly name: string;
  readonly detail: string;
}

const NAME = /^[A-Za-z_$][\w$]*$/;
const AFTER_DOC = /\bdoc(\?)?\.([\w$]*)$/;
const AFTER_BRACKET = /\bdoc(\?\.)?\[["']([^"']*)$/;
const WORDS: readonly Completion[] = [
  { label: 'emit', type: 'function', detail: '(key, value)', apply: 'emit(' },
  { label: 'doc', type: 'variable', detail: 'the document' },
];

/**
 * Returns the completion source. It calls `known` at each completion, so that fields that arrive
 * later are offered too.
 */
export function mapCompletion(known: () => readonly KnownField[]): CompletionSource {
  return (context) => fieldsAfter(context, known) ?? wordsAt(context);
}

function fieldsAfter(context: CompletionContext, ask: () => readonly KnownField[]): CompletionResult | null {
  const bracket = context.matchBefore(AFTER_BRACKET);
  if (bracket !== null) {
    const typed = AFTER_BRACKET.exec(bracket.text)?.[2] ?? '';
    return { from: context.pos - typed.length, options: ask().map(completionOf), validFor: /^[^"']*$/ };
  }
  const dot = context.matchBefore(AFTER_DOC);
  if (dot === null) return null;
  const typed = AFTER_DOC.exec(dot.text)?.[2] ?? '';
  const options = ask().map((one) =>
    NAME.test(one.name) ? completionOf(one) : { ...completionOf(one), apply: inBrackets(one.name) },
  );
  return { from: context.pos - typed.length, options, validFor: /^[\w$]*$/ };
}

const completionOf = ({ name, detail }: KnownField): Completion => ({
  label: name,
  detail,
  type: 'property',
});

/** A field that isn't a JavaScript identifier is inserted in brackets, replacing the dot. */
const inBrackets =
  (name: string): Exclude<Completion['apply'], string | undefined> =>
  (view, _completion, from, to) => {
    const insert = `[${JSON.stringify(name)}]`;
    view.dispatch({
      changes: { from: from - 1, to, insert },
      selection: { anchor: from - 1 + insert.length },
    });
  };

function wordsAt(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/[\w$]+$/);
  if (word === null && !context.explicit) return null;
  return { from: word?.from ?? context.pos, options: [...WORDS], validFor: /^[\w$]*$/ };
}
