/**
 * Regular expressions that take linear time. All alternatives are followed at the same time, so
 * neither a pattern nor a text can make a search hang, as it can with `RegExp`, which tries one
 * alternative after the other. Therefore a pattern has no backreferences and no look-around.
 */
import { FixpointError } from '@fixpoint/protocol';

/** The step of a compiled pattern. A match ends after the last step. */
type Step =
  | { readonly do: 'char'; readonly fits: (code: number) => boolean }
  | { readonly do: 'at'; readonly holds: (text: string, at: number) => boolean }
  /** Goes on at both places. */
  | { do: 'fork'; to: number; or: number };

/** Matching takes at most this many steps per character. */
const STEPS_MAX = 500;
/** Maximum nesting of groups; a deeper pattern could overflow the stack. */
const DEPTH_MAX = 500;
const IGNORES_CASE = '(?i)';
const DIGITS = /^[1-9]$/;
/** The rest of an escaped character outside of the basic plane, written as two surrogates. */
const SURROGATES = /^[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/;

const refusal = (detail: string, cause?: unknown) => new FixpointError('QUERY_INVALID', detail, { cause });

const tooLong = () => refusal('matches: the pattern is too long');

/**
 * Returns a function that checks whether a text contains a match. `(?i)` at the start ignores case.
 * @throws FixpointError QUERY_INVALID
 */
export function patternOf(pattern: string): (text: string) => boolean {
  const ignoresCase = pattern.startsWith(IGNORES_CASE);
  const source = ignoresCase ? pattern.slice(IGNORES_CASE.length) : pattern;
  try {
    new RegExp(source, 'u');
  } catch (cause) {
    throw refusal(`matches: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  const steps = new Compiler(source, ignoresCase ? 'iu' : 'u').compile();
  return (text) => matches(steps, text);
}

/** Returns what is wrong with a pattern; undefined if it can be used in `matches`. */
export function patternProblem(pattern: string): string | undefined {
  try {
    patternOf(pattern);
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/^.*?matches: /, '');
  }
}

/** Compiles a pattern whose syntax `RegExp` accepted. */
class Compiler {
  private at = 0;
  private depth = 0;
  private readonly source: string;
  private readonly flags: string;

  constructor(source: string, flags: string) {
    this.source = source;
    this.flags = flags;
  }

  compile(): readonly Step[] {
    return this.alternatives();
  }

  private alternatives(): Step[] {
    this.depth += 1;
    if (this.depth > DEPTH_MAX) throw tooLong();
    const steps = this.alternativesAt();
    this.depth -= 1;
    return steps;
  }

  private alternativesAt(): Step[] {
    const first = this.sequence();
    if (this.source[this.at] !== '|') return first;
    this.at += 1;
    const other = this.alternatives();
    const end = first.length + other.length + 2;
    return this.checked([
      { do: 'fork', to: 1, or: first.length + 2 },
      ...moved(first, 1),
      { do: 'fork', to: end, or: end },
      ...moved(other, first.length + 2),
    ]);
  }

  private sequence(): Step[] {
    let steps: Step[] = [];
    while (this.at < this.source.length && !'|)'.includes(this.source.charAt(this.at)))
      steps = this.checked([...steps, ...moved(this.repeated(this.atom()), steps.length)]);
    return steps;
  }

  private atom(): Step[] {
    const begin = this.at;
    const char = String.fromCodePoint(this.source.codePointAt(begin) as number);
    this.at += char.length;
    if (char === '(') return this.group();
    if (char === '^') return [{ do: 'at', holds: (_, at) => at === 0 }];
    if (char === '$') return [{ do: 'at', holds: (text, at) => at === text.length }];
    if (char === '\\') return this.escape(begin);
    if (char === '[') {
      while (this.source[this.at] !== ']') this.at += this.source[this.at] === '\\' ? 2 : 1;
      this.at += 1;
    }
    return [this.charStep(begin)];
  }

  private group(): Step[] {
    const [begin] = /^(\?:|\?<[^=!][^>]*>)?/.exec(this.source.slice(this.at)) as RegExpExecArray;
    this.at += (begin as string).length;
    if (this.source[this.at] === '?' && begin === '')
      throw refusal(`matches: (${this.source.slice(this.at, this.at + 3)} is not supported`);
    const inner = this.alternatives();
    this.at += 1;
    return inner;
  }

  private escape(begin: number): Step[] {
    const char = this.source.charAt(this.at);
    if (DIGITS.test(char) || char === 'k') throw refusal(`matches: \\${char} is not supported`);
    this.at += String.fromCodePoint(this.source.codePointAt(this.at) as number).length;
    if (char === 'b' || char === 'B') {
      const word = new RegExp('^\\w$', this.flags);
      return [{ do: 'at', holds: (text, at) => isWordEdge(word, text, at) === (char === 'b') }];
    }
    const [pair] = char === 'u' ? (SURROGATES.exec(this.source.slice(this.at)) ?? []) : [];
    if (pair !== undefined) {
      this.at += pair.length;
      return [this.charStep(begin)];
    }
    const [long] = /^(\{[^}]*\}|[0-9a-f]{4}|[0-9a-f]{2}|[a-z])?/i.exec(
      this.source.slice(this.at),
    ) as RegExpExecArray;
    const lengths: Readonly<Record<string, number>> = { x: 2, c: 1 };
    if ('pPu'.includes(char)) this.at += (long as string).length;
    else this.at += lengths[char] ?? 0;
    return [this.charStep(begin)];
  }

  /** Returns the step of one character, whose rules are those of `RegExp`. */
  private charStep(begin: number): Step {
    const one = new RegExp(`^${this.source.slice(begin, this.at)}$`, this.flags);
    const known = Array.from({ length: 128 }, (_, code) => one.test(String.fromCharCode(code)));
    return { do: 'char', fits: (code) => known[code] ?? one.test(String.fromCodePoint(code)) };
  }

  private repeated(steps: Step[]): Step[] {
    const rest = this.source.slice(this.at);
    const [whole, sign, from, comma, to] = (/^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(rest) ??
      []) as string[];
    if (whole === undefined) return steps;
    this.at += whole.length;
    // Without this, a large number of repetitions of nothing would take as many rounds.
    if (steps.length === 0) return steps;
    const least = sign === undefined ? Number(from) : sign === '+' ? 1 : 0;
    const isEndless = sign === undefined ? comma === ',' && to === '' : sign !== '?';
    const most = sign === undefined ? (to === '' ? least : Number(to)) : 1;
    let all: Step[] = [];
    const add = (more: readonly Step[]) => {
      all = this.checked([...all, ...moved(more, all.length)]);
    };
    for (let n = 0; n < least; n += 1) add(steps);
    if (isEndless) {
      const end = steps.length + 2;
      add([{ do: 'fork', to: 1, or: end }, ...moved(steps, 1), { do: 'fork', to: 0, or: 0 }]);
    } else
      for (let n = least; n < most; n += 1)
        add([{ do: 'fork', to: 1, or: steps.length + 1 }, ...moved(steps, 1)]);
    return all;
  }

  private checked(steps: Step[]): Step[] {
    if (steps.length > STEPS_MAX) throw tooLong();
    return steps;
  }
}

const moved = (steps: readonly Step[], by: number): readonly Step[] =>
  steps.map((step) => (step.do === 'fork' ? { ...step, to: step.to + by, or: step.or + by } : step));

const isWordEdge = (word: RegExp, text: string, at: number): boolean =>
  word.test(text[at - 1] ?? '') !== word.test(text[at] ?? '');

function matches(steps: readonly Step[], text: string): boolean {
  /** For each step, the round in which it was reached, so that no round reaches it twice. */
  const reachedIn = new Int32Array(steps.length).fill(-1);
  let current: number[] = [];
  const waiting: number[] = [];
  /** Adds the characters to check next. Returns whether the end is reached. */
  const reach = (first: number, at: number): boolean => {
    waiting.push(first);
    for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
      if (place === steps.length) return true;
      if (reachedIn[place] === at) continue;
      reachedIn[place] = at;
      const step = steps[place] as Step;
      if (step.do === 'char') current.push(place);
      else if (step.do === 'fork') waiting.push(step.to, step.or);
      else if (step.holds(text, at)) waiting.push(place + 1);
    }
    return false;
  };
  for (let at = 0; ; ) {
    if (reach(0, at)) return true;
    if (at >= text.length) return false;
    const code = text.codePointAt(at) as number;
    at += code > 0xffff ? 2 : 1;
    const before = current;
    current = [];
    for (const place of before)
      if ((steps[place] as Extract<Step, { do: 'char' }>).fits(code) && reach(place + 1, at)) return true;
  }
}
