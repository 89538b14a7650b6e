/**
 * Reads a filter from text, such as `(scope = "M" or type = "A") and not name contains "creole"`.
 */
import { patternProblem } from 'fixpoint/rows';
import { pathOf, type Step } from '../../values/field-path.ts';
import { lostNumber } from '../../values/json-losses.ts';
import { type Condition, type Filter, simplified, type Test } from './filter.ts';
import { KEYWORDS, TYPE_WORDS } from './filter-text.ts';

/** A mistake in a text, and its place. */
export interface Problem {
  readonly message: string;
  /** Positions of the characters that the problem is about. */
  readonly from: number;
  readonly to: number;
}

/** Describes how a text may continue. */
export type Expected =
  | { readonly what: 'field' | 'join' | 'nothing' }
  | { readonly what: 'operator' | 'type'; readonly path: string }
  | {
      readonly what: 'value';
      readonly path: string;
      readonly test: Test;
      /** Whether the value is inside of a list that has begun. */
      readonly isInList?: boolean;
    };

export type Parsed =
  | { readonly filter: Filter | undefined; readonly problem?: undefined }
  | { readonly problem: Problem; readonly filter?: undefined };

interface Token {
  readonly kind: 'name' | 'text' | 'number' | 'sign' | 'pattern' | 'end' | 'bad';
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** Ends parsing. Never leaves this file. */
class Stop {
  readonly problem: Problem;
  constructor(message: string, { from, to }: Pick<Token, 'from' | 'to'>) {
    this.problem = { message, from, to };
  }
}

const LENGTH_MAX = 20_000;
const DEPTH_MAX = 50;
const ORDERS: ReadonlySet<Test> = new Set(['greater', 'at-least', 'less', 'at-most']);

/** Reads a filter. Returns undefined for an empty text. */
export function parseFilter(text: string): Parsed {
  return new Parser(text).parse();
}

/** Returns what may follow a text, of which the last token is complete. */
export function expectedAfter(text: string): Expected {
  const parser = new Parser(text);
  parser.parse();
  return parser.expected;
}

const SPACE = /\s*/y;
const TOKENS: readonly (readonly [Token['kind'], RegExp])[] = [
  ['text', /"(?:[^"\\]|\\.)*"/y],
  ['number', /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\p{L}\p{N}_])/uy],
  ['name', /[\p{L}_$][\p{L}\p{N}_$-]*/uy],
  ['sign', /!=|>=|<=|\[\]|[=<>()[\],.{}:]/y],
];
const PATTERN = /\/(?:\[(?:[^\]\\\n]|\\.)*\]|[^/\\\n[]|\\.)+\/i?/y;

const SIGN_TESTS: ReadonlyMap<string, Test> = new Map([
  ['=', 'equals'],
  ['!=', 'differs'],
  ['>', 'greater'],
  ['>=', 'at-least'],
  ['<', 'less'],
  ['<=', 'at-most'],
]);

class Parser {
  /** How the text may continue, if it ends here. */
  expected: Expected = { what: 'field' };
  private at = 0;
  private depth = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  parse(): Parsed {
    try {
      if (this.text.length > LENGTH_MAX)
        throw new Stop('The filter is too long', { from: LENGTH_MAX, to: this.text.length });
      if (this.peek().kind === 'end') return { filter: undefined };
      const filter = this.any();
      const rest = this.peek();
      if (rest.kind !== 'end') throw new Stop(`Expected "and" or "or" before ${shown(rest)}`, rest);
      this.expected = { what: 'join' };
      return { filter: simplified(filter) };
    } catch (stop) {
      if (stop instanceof Stop) return { problem: stop.problem };
      throw stop;
    }
  }

  private peek(): Token {
    const { at } = this;
    const token = this.next();
    this.at = at;
    return token;
  }

  private next(isPattern = false): Token {
    SPACE.lastIndex = this.at;
    const from = this.at + (SPACE.exec(this.text)?.[0].length ?? 0);
    if (from >= this.text.length) return { kind: 'end', text: '', from, to: from };
    const kinds: typeof TOKENS = isPattern ? [['pattern', PATTERN], ...TOKENS] : TOKENS;
    for (const [kind, rule] of kinds) {
      rule.lastIndex = from;
      const found = rule.exec(this.text)?.[0];
      if (found === undefined) continue;
      this.at = from + found.length;
      return { kind, text: found, from, to: this.at };
    }
    this.at = this.text.length;
    return { kind: 'bad', text: this.text.slice(from), from, to: this.text.length };
  }

  private isWord(token: Token, word: string): boolean {
    return token.kind === 'name' && token.text.toLowerCase() === word;
  }

  /** Reads a token if it is this word. */
  private word(word: string): boolean {
    if (!this.isWord(this.peek(), word)) return false;
    this.next();
    return true;
  }

  private sign(sign: string): boolean {
    const token = this.peek();
    if (token.kind !== 'sign' || token.text !== sign) return false;
    this.next();
    return true;
  }

  private any(): Filter {
    const of = [this.all()];
    while (this.word('or')) of.push(this.all());
    return of.length === 1 ? (of[0] as Filter) : { kind: 'any', of };
  }

  private all(): Filter {
    const of = [this.one()];
    while (this.word('and')) of.push(this.one());
    return of.length === 1 ? (of[0] as Filter) : { kind: 'all', of };
  }

  private one(): Filter {
    this.expected = { what: 'field' };
    this.depth += 1;
    const token = this.peek();
    if (this.depth > DEPTH_MAX) throw new Stop('The groups are nested too deeply', token);
    const filter = this.inner(token);
    this.depth -= 1;
    return filter;
  }

  private inner(token: Token): Filter {
    if (this.word('not')) return { kind: 'not', of: this.one() };
    if (!this.sign('(')) return this.condition();
    const group = this.any();
    this.expected = { what: 'join' };
    const end = this.peek();
    if (!this.sign(')'))
      throw new Stop(
        end.kind === 'end' ? 'This parenthesis has no end' : `Expected ")" before ${shown(end)}`,
        end.kind === 'end' ? token : end,
      );
    return group;
  }

  private condition(): Filter {
    const path = this.path();
    this.expected = { what: 'operator', path };
    if (this.word('not')) {
      if (this.word('exists')) return this.finished({ kind: 'test', path, test: 'missing' });
      return { kind: 'not', of: this.wordTest(path) ?? this.noTest(['contains', 'in', 'starts with']) };
    }
    if (this.word('exists')) return this.finished({ kind: 'test', path, test: 'exists' });
    if (this.word('is')) return this.typeTest(path);
    const token = this.peek();
    const test = token.kind === 'sign' ? SIGN_TESTS.get(token.text) : undefined;
    if (test === undefined) return this.wordTest(path) ?? this.noTest(['=', 'contains', 'exists']);
    this.next();
    return this.withValue(path, test);
  }

  private finished(condition: Condition): Condition {
    this.expected = { what: 'join' };
    return condition;
  }

  private noTest(examples: readonly string[]): never {
    const token = this.peek();
    const after = token.kind === 'end' ? 'here' : `instead of ${shown(token)}`;
    throw new Stop(`Expected a comparison ${after}, such as ${examples.join(', ')}`, token);
  }

  private wordTest(path: string): Filter | undefined {
    if (this.word('contains')) return this.withValue(path, 'contains');
    if (this.word('startswith')) return this.withValue(path, 'starts');
    if (this.word('matches')) return this.withValue(path, 'matches');
    if (this.word('in')) return this.withValue(path, 'in');
    if (!this.word('starts')) return undefined;
    const token = this.peek();
    if (!this.word('with')) throw new Stop('Expected "with" after "starts"', token);
    return this.withValue(path, 'starts');
  }

  private typeTest(path: string): Filter {
    this.expected = { what: 'type', path };
    if (this.word('missing')) return this.finished({ kind: 'test', path, test: 'missing' });
    const isNot = this.word('not');
    const token = this.next();
    const type = token.kind === 'name' ? TYPE_WORDS.get(token.text.toLowerCase()) : undefined;
    if (type === undefined) {
      const types = [...TYPE_WORDS.keys()].slice(0, 7).join(', ');
      throw new Stop(`Expected a type (${types}). Compare values with "="`, token);
    }
    const condition = this.finished({ kind: 'test', path, test: 'type', value: type });
    return isNot ? { kind: 'not', of: condition } : condition;
  }

  private withValue(path: string, test: Test): Condition {
    this.expected = { what: 'value', path, test };
    const before = this.peek();
    const value = test === 'matches' ? this.pattern() : this.value();
    const token = { from: before.from, to: this.at };
    if (test === 'in' && !Array.isArray(value)) throw new Stop('Expected a list, such as ["a", "b"]', token);
    if (test === 'starts' && typeof value !== 'string') throw new Stop('Expected a text in quotes', token);
    if (ORDERS.has(test) && isPlainObject(value)) throw new Stop('Objects have no order', token);
    return this.finished({ kind: 'test', path, test, value });
  }

  private pattern(): string {
    const token = this.next(true);
    if (token.kind === 'text') return this.checkedPattern(this.stringOf(token), token);
    if (token.kind !== 'pattern') throw new Stop('Expected a regular expression, such as /^a.*z$/i', token);
    const end = token.text.lastIndexOf('/');
    const source = token.text.slice(1, end).replace(/\\[\s\S]/g, (part) => (part === '\\/' ? '/' : part));
    const pattern = (end < token.text.length - 1 ? '(?i)' : '') + source;
    return this.checkedPattern(pattern, token);
  }

  private checkedPattern(pattern: string, token: Token): string {
    const problem = patternProblem(pattern);
    if (problem !== undefined) throw new Stop(problem, token);
    return pattern;
  }

  /** Reads JSON, or a word without quotes. */
  private value(): unknown {
    const token = this.next();
    switch (token.kind) {
      case 'text':
        return this.stringOf(token);
      case 'number':
        return this.numberOf(token);
      case 'name':
        return this.wordValue(token);
      case 'sign':
        if (token.text === '[]') return [];
        if (token.text === '[') return this.nested(token, () => this.list(token));
        if (token.text === '{') return this.nested(token, () => this.object(token));
        break;
      default:
    }
    throw new Stop(
      token.kind === 'end' ? 'Expected a value here' : `Expected a value instead of ${shown(token)}`,
      token,
    );
  }

  private nested<T>(token: Token, read: () => T): T {
    this.depth += 1;
    if (this.depth > DEPTH_MAX) throw new Stop('The value is nested too deeply', token);
    const value = read();
    this.depth -= 1;
    return value;
  }

  private numberOf(token: Token): number {
    // JSON has no infinite numbers, so the filter couldn't be written into an address.
    const lost = lostNumber(token.text);
    if (lost === undefined) return Number(token.text);
    if (lost.kept === undefined) throw new Stop('This number is too large', token);
    throw new Stop(`This number would become ${lost.kept}. Put it in quotes to compare it as text`, token);
  }

  private wordValue(token: Token): unknown {
    const word = token.text.toLowerCase();
    if (word === 'true') return true;
    if (word === 'false') return false;
    if (word === 'null') return null;
    if (KEYWORDS.has(word)) throw new Stop(`Put ${token.text} in quotes to use it as a text`, token);
    return token.text;
  }

  private stringOf(token: Token): string {
    try {
      return JSON.parse(token.text) as string;
    } catch {
      throw new Stop('This text has a character that needs an escape', token);
    }
  }

  private list(begin: Token): readonly unknown[] {
    const list: unknown[] = [];
    if (this.expected.what === 'value') this.expected = { ...this.expected, isInList: true };
    if (this.sign(']')) return list;
    do list.push(this.value());
    while (this.sign(','));
    if (!this.sign(']')) throw new Stop('This list has no end', begin);
    return list;
  }

  private object(begin: Token): object {
    const entries: [string, unknown][] = [];
    if (this.sign('}')) return {};
    do {
      const name = this.next();
      if (name.kind !== 'text' && name.kind !== 'name') throw new Stop('Expected a field name', name);
      if (!this.sign(':')) throw new Stop('Expected ":" after the field name', this.peek());
      entries.push([name.kind === 'text' ? this.stringOf(name) : name.text, this.value()]);
    } while (this.sign(','));
    if (!this.sign('}')) throw new Stop('This object has no end', begin);
    // Built from entries, so that a field named `__proto__` is an ordinary one.
    return Object.fromEntries(entries);
  }

  private path(): string {
    const steps: Step[] = [];
    do {
      const token = this.next();
      const isKeyword = token.kind === 'name' && KEYWORDS.has(token.text.toLowerCase());
      if (isKeyword && steps.length === 0)
        throw new Stop(`Expected a field. Put ${token.text} in quotes if a field has this name`, token);
      if (token.kind !== 'name' && token.kind !== 'text')
        throw new Stop(
          token.kind === 'end' ? 'Expected a field here' : `Expected a field instead of ${shown(token)}`,
          token,
        );
      const name = token.kind === 'text' ? this.stringOf(token) : token.text;
      steps.push({ name, isEach: this.sign('[]') });
    } while (this.sign('.'));
    return pathOf(steps);
  }
}

const isPlainObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const SHOWN_CHARS = 20;

function shown({ kind, text }: Token): string {
  if (kind === 'bad' && text.startsWith('"')) return 'a text without a closing quote';
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}
