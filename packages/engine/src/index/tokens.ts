/** JavaScript text in tokens, as far as captures.ts needs it: names, brackets, what joins and ends expressions. */

export interface Token {
  readonly kind: 'name' | 'literal' | 'mark';
  readonly text: string;
  /** Whether a line ends between the token before and this one. */
  readonly startsLine: boolean;
}

const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const NUMBER = /(?:\d|\.\d)[\w.]*/y;
const SPACE = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const STRING = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
const REGEX = /\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
/** Text of a template up to its end, or up to what is put in. */
const TEMPLATE = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(`|\$\{)/y;
const MARK = /=>|\.\.\.|\?\.(?!\d)|[{}()[\];,<>+\-*/%&|^!~?:=.]/y;

/** Words after which a slash begins a regular expression. */
const BEFORE_EXPRESSION = new Set(
  'return typeof case in of instanceof new delete void do else throw'.split(' '),
);

/** Undefined when the text cannot be told apart with certainty. What is put into a template stands in round brackets. */
export function tokensOf(text: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  /** For each open curly bracket: whether it belongs to a template. */
  const curly: boolean[] = [];
  let at = 0;
  let startsLine = false;

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) return undefined;
    at += found[0].length;
    return found[0];
  };
  const push = (kind: Token['kind'], token: string) => {
    tokens.push({ kind, text: token, startsLine });
    startsLine = false;
  };
  const template = (): boolean => {
    const part = take(TEMPLATE);
    if (part === undefined) return false;
    push('literal', '`');
    if (!part.endsWith('${')) return true;
    curly.push(true);
    push('mark', '(');
    return true;
  };

  while (at < text.length) {
    const space = take(SPACE);
    if (space !== undefined) {
      startsLine ||= space.includes('\n');
      continue;
    }
    const char = text[at];
    if (char === '`') {
      at += 1;
      if (!template()) return undefined;
      continue;
    }
    if (char === '}' && curly.at(-1) === true) {
      at += 1;
      curly.pop();
      push('mark', ')');
      if (!template()) return undefined;
      continue;
    }
    if (char === '/') {
      const slash = meaningOfSlash(tokens.at(-1));
      if (slash === 'unknown') return undefined;
      if (slash === 'regex') {
        if (take(REGEX) === undefined) return undefined;
        push('literal', '/');
        continue;
      }
    }
    const name = take(NAME);
    if (name !== undefined) {
      push('name', name);
      continue;
    }
    if ((take(NUMBER) ?? take(STRING)) !== undefined) {
      push('literal', '0');
      continue;
    }
    const mark = take(MARK);
    if (mark === undefined) return undefined;
    if (mark === '{') curly.push(false);
    if (mark === '}') curly.pop();
    push('mark', mark);
  }
  return tokens;
}

function meaningOfSlash(before: Token | undefined): 'regex' | 'division' | 'unknown' {
  if (before === undefined) return 'regex';
  if (before.kind === 'name') return BEFORE_EXPRESSION.has(before.text) ? 'regex' : 'division';
  if (before.kind === 'literal' || before.text === ']') return 'division';
  return before.text === ')' || before.text === '}' ? 'unknown' : 'regex';
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** For each opening bracket the position of the closing one, and for each token the position of the bracket that it stands in (-1: none). */
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
