/**
 * Splits JavaScript text into the tokens that captures.ts needs: names, brackets, and tokens that
 * join or end expressions.
 */

export interface Token {
  readonly kind: 'name' | 'literal' | 'mark';
  readonly text: string;
  /** Whether a line break precedes this token. */
  readonly startsLine: boolean;
}

const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const NUMBER = /(?:\d|\.\d)[\w.]*/y;
const SPACE = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
// Plain characters are matched in runs: an alternative for each character would overflow the stack
// in a long text.
const STRING = /'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'|"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"/y;
const REGEX = /\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
/** Text of a template up to its end, or up to an interpolation. */
const TEMPLATE = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(`|\$\{)/y;
const MARK = /=>|\.\.\.|\?\.(?!\d)|[{}()[\];,<>+\-*/%&|^!~?:=.]/y;

/** Words after which a slash starts a regular expression. */
const BEFORE_EXPRESSION = new Set(
  'return typeof case in of instanceof new delete void do else throw'.split(' '),
);

/**
 * Returns undefined when the text is ambiguous. Wraps interpolations of a template in round
 * brackets.
 */
export function tokensOf(text: string): readonly Token[] | undefined {
  const reader = new TokenReader(text);
  while (!reader.isAtEnd()) if (!reader.readOne()) return undefined;
  return reader.tokens;
}

class TokenReader {
  readonly tokens: Token[] = [];
  readonly #text: string;
  /** For each open curly bracket: whether it belongs to a template. */
  readonly #curly: boolean[] = [];
  #at = 0;
  #startsLine = false;

  constructor(text: string) {
    this.#text = text;
    this.#skipSpace();
  }

  isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  readOne(): boolean {
    const done = this.#template() ?? this.#slash() ?? this.#word() ?? this.#mark();
    this.#skipSpace();
    return done;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #skipSpace(): void {
    if (this.#take(SPACE)?.includes('\n') === true) this.#startsLine = true;
  }

  #push(kind: Token['kind'], text: string): true {
    this.tokens.push({ kind, text, startsLine: this.#startsLine });
    this.#startsLine = false;
    return true;
  }

  /** Reads a template from its start, or from the end of an interpolation. */
  #template(): boolean | undefined {
    const char = this.#text[this.#at];
    const goesOn = char === '}' && this.#curly.at(-1) === true;
    if (char !== '`' && !goesOn) return undefined;
    this.#at += 1;
    if (goesOn) {
      this.#curly.pop();
      this.#push('mark', ')');
    }
    const part = this.#take(TEMPLATE);
    if (part === undefined) return false;
    this.#push('literal', '`');
    if (part.endsWith('`')) return true;
    this.#curly.push(true);
    return this.#push('mark', '(');
  }

  #slash(): boolean | undefined {
    if (this.#text[this.#at] !== '/') return undefined;
    const meaning = meaningOfSlash(this.tokens.at(-1));
    if (meaning === 'division') return undefined;
    return meaning === 'regex' && this.#take(REGEX) !== undefined && this.#push('literal', '/');
  }

  #word(): true | undefined {
    const name = this.#take(NAME);
    if (name !== undefined) return this.#push('name', name);
    const literal = this.#take(NUMBER) ?? this.#take(STRING);
    return literal === undefined ? undefined : this.#push('literal', '0');
  }

  #mark(): boolean {
    const mark = this.#take(MARK);
    if (mark === undefined) return false;
    if (mark === '{') this.#curly.push(false);
    if (mark === '}') this.#curly.pop();
    return this.#push('mark', mark);
  }
}

function meaningOfSlash(before: Token | undefined): 'regex' | 'division' | 'unknown' {
  if (before === undefined) return 'regex';
  if (before.kind === 'name') return BEFORE_EXPRESSION.has(before.text) ? 'regex' : 'division';
  if (before.kind === 'literal' || before.text === ']') return 'division';
  return before.text === ')' || before.text === '}' ? 'unknown' : 'regex';
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/**
 * Returns the position of the closing bracket for each opening one, and for each token the position
 * of the bracket that encloses it (-1: none).
 */
export function bracketsOf(
  tokens: readonly Token[],
): { readonly closing: ReadonlyMap<number, number>; readonly within: readonly number[] } | undefined {
  const closing = new Map<number, number>();
  const within: number[] = [];
  const open: number[] = [];
  for (const [at, { kind, text }] of tokens.entries()) {
    const isMark = kind === 'mark';
    if (isMark && (text === ')' || text === ']' || text === '}')) {
      const start = open.pop();
      if (start === undefined || CLOSING[tokens[start]?.text ?? ''] !== text) return undefined;
      closing.set(start, at);
    }
    within.push(open.at(-1) ?? -1);
    if (isMark && text in CLOSING) open.push(at);
  }
  return open.length === 0 ? { closing, within } : undefined;
}
