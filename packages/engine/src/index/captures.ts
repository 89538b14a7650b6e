/**
 * Checks that a function uses only its arguments and the language itself. Two such functions with
 * equal text are interchangeable, so they may share an index. A function that captures outer
 * variables may emit other keys than a function with the same text. This module reads the text
 * without running it. Anything uncertain counts as a capture: that may cost a separate index, but
 * never returns wrong rows.
 */
import { bracketsOf, type Token, tokensOf } from './tokens.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const KEYWORDS = words(
  'break case catch const continue default delete do else finally for function if in instanceof let new of return switch throw try typeof var void while null true false',
);
const LANGUAGE = words(
  'undefined NaN Infinity Math JSON Number String Boolean Array Object Date RegExp Map Set BigInt Error TypeError RangeError parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent',
);

/**
 * A range of tokens where a name refers to a declaration: from `start` up to, but excluding, `end`.
 */
interface Scope {
  readonly start: number;
  readonly end: number;
}

export function capturesNothing(functionText: string): boolean {
  const tokens = tokensOf(functionText);
  const brackets = tokens && bracketsOf(tokens);
  if (tokens === undefined || brackets === undefined) return false;
  const scopes = new Declarations(tokens, brackets).collect();
  if (scopes === undefined) return false;
  return tokens.every(
    (_, at) =>
      !isReference(tokens, at) ||
      LANGUAGE.has(tokens[at]?.text ?? '') ||
      scopes.get(tokens[at]?.text ?? '')?.some(({ start, end }) => start <= at && at < end) === true,
  );
}

const isMark = (token: Token | undefined, text: string): boolean =>
  token?.kind === 'mark' && token.text === text;
const isWord = (token: Token | undefined, text: string): boolean =>
  token?.kind === 'name' && token.text === text;

function isReference(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  const before = tokens[at - 1];
  if (token?.kind !== 'name') return false;
  if (isMark(before, '.') || isMark(before, '?.')) return false;
  if (KEYWORDS.has(token.text)) return false;
  const isKey = isMark(tokens[at + 1], ':') && (isMark(before, '{') || isMark(before, ','));
  return !isKey || tokens.some((other) => isWord(other, 'case'));
}

/**
 * The declarations in a text, and the scope of each one. A scope is never larger than the language
 * defines it.
 */
class Declarations {
  readonly #tokens: readonly Token[];
  readonly #closing: ReadonlyMap<number, number>;
  readonly #within: readonly number[];
  readonly #scopes = new Map<string, Scope[]>();

  constructor(
    tokens: readonly Token[],
    { closing, within }: { closing: ReadonlyMap<number, number>; within: readonly number[] },
  ) {
    this.#tokens = tokens;
    this.#closing = closing;
    this.#within = within;
  }

  /** Returns undefined when a declaration contains more than names and plain patterns. */
  collect(): ReadonlyMap<string, readonly Scope[]> | undefined {
    for (const [at, token] of this.#tokens.entries()) {
      const before = this.#tokens[at - 1];
      if (isMark(before, '.') || isMark(before, '?.')) continue;
      if (!this.#declaresAt(at, token)) return undefined;
    }
    return this.#scopes;
  }

  #declaresAt(at: number, token: Token): boolean {
    if (isMark(token, '=>')) return this.#arrow(at);
    if (token.kind !== 'name') return true;
    if (token.text === 'function') return this.#function(at);
    if (token.text === 'const' || token.text === 'let' || token.text === 'var') return this.#variables(at);
    if (token.text === 'catch' && isMark(this.#tokens[at + 1], '('))
      return this.#parameters(at + 1, this.#end(this.#end(at + 1)));
    return true;
  }

  /** Returns the position after the bracket that closes the bracket at `opening`. */
  #end(opening: number): number {
    return (this.#closing.get(opening) ?? opening) + 1;
  }

  #declare(name: string, scope: Scope): void {
    this.#scopes.set(name, [...(this.#scopes.get(name) ?? []), scope]);
  }

  #arrow(at: number): boolean {
    const end = isMark(this.#tokens[at + 1], '{') ? this.#end(at + 1) : this.#expressionEnd(at + 1);
    const last = this.#tokens[at - 1];
    if (last?.kind === 'name') {
      this.#declare(last.text, { start: at - 1, end });
      return true;
    }
    const open = [...this.#closing].find(([, close]) => close === at - 1)?.[0];
    return open !== undefined && this.#parameters(open, end);
  }

  #function(at: number): boolean {
    const name = this.#tokens[at + 1];
    const open = name?.kind === 'name' ? at + 2 : at + 1;
    if (!isMark(this.#tokens[open], '(')) return false;
    const end = this.#end(this.#end(open));
    if (name?.kind === 'name') this.#declare(name.text, at === 0 ? { start: 0, end } : this.#block(at));
    return this.#parameters(open, end);
  }

  #parameters(open: number, end: number): boolean {
    return this.#pattern(open + 1, this.#end(open) - 1, { start: open, end });
  }

  #variables(at: number): boolean {
    const scope = this.#block(at);
    let next = at + 1;
    for (;;) {
      const end = this.#closing.has(next) ? this.#end(next) : next + 1;
      if (!this.#pattern(next, end, scope)) return false;
      next = this.#expressionEnd(end);
      if (!isMark(this.#tokens[next], ',')) return true;
      next += 1;
    }
  }

  /**
   * Declares the names in a pattern. Returns false if the pattern has defaults or computed keys.
   */
  #pattern(start: number, end: number, scope: Scope): boolean {
    for (let at = start; at < end; at++) {
      const token = this.#tokens[at];
      const next = this.#tokens[at + 1];
      if (token?.kind === 'name') {
        if (KEYWORDS.has(token.text)) return false;
        if (!isMark(next, ':')) this.#declare(token.text, scope);
      } else if (token?.kind !== 'mark' || !PATTERN_MARKS.has(token.text)) return false;
      else if (token.text === ']' && isMark(next, ':')) return false;
    }
    return true;
  }

  /**
   * Returns the block that contains a declaration, or the loop if the declaration is in a loop's
   * head.
   */
  #block(at: number): Scope {
    const start = this.#within[at] ?? -1;
    if (start < 0) return { start: at, end: at };
    const close = this.#end(start);
    if (!isMark(this.#tokens[start], '(')) return { start, end: close };
    return { start, end: isMark(this.#tokens[close], '{') ? this.#end(close) : this.#expressionEnd(close) };
  }

  /**
   * Returns where an expression certainly ends: before a comma, a semicolon, a closing bracket, or
   * a line that starts a new statement.
   */
  #expressionEnd(start: number): number {
    let at = start;
    for (; at < this.#tokens.length; at++) {
      const token = this.#tokens[at];
      if (token?.kind === 'mark' && EXPRESSION_ENDS.has(token.text)) return at;
      if (at > start && token?.startsLine === true && this.#beginsAnew(at)) return at;
      if (this.#closing.has(at)) at = this.#end(at) - 1;
    }
    return at;
  }

  #beginsAnew(at: number): boolean {
    const before = this.#tokens[at - 1];
    const endsOperand =
      before?.kind !== 'mark' || before.text === ')' || before.text === ']' || before.text === '}';
    return endsOperand && this.#tokens[at]?.kind !== 'mark';
  }
}

const PATTERN_MARKS = words('{ } [ ] , : ...');
const EXPRESSION_ENDS = words(', ; ) ] }');
