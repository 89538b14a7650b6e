import { parseArgs } from 'node:util';
import type { Io } from './io.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly help: string;
  /** Placeholder of the value in the help text. */
  readonly value?: string;
  /** Whether the option may be given several times. */
  readonly multiple?: true;
}

export interface Call {
  readonly io: Io;
  /** Positional arguments. */
  readonly args: readonly string[];
  /** Returns the value of an option, or undefined when it wasn't given. */
  text(option: string): string | undefined;
  flag(option: string): boolean;
  /** Returns the values of an option that may be given several times. */
  texts(option: string): readonly string[];
}

/** The result of a command: printed as JSON with `--json`, otherwise as lines. */
export interface Outcome {
  readonly json: unknown;
  readonly lines: readonly string[];
  /** Whether the command found a problem. If so, the exit code is 1. */
  readonly failed?: boolean;
}

export interface Command {
  /** Ways to call the command, each without the leading `fixpoint`. */
  readonly usage: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  /**
   * Maximum number of arguments after each verb, such as `create`. The entry '' is the maximum for
   * calls without one of these verbs. If there is no entry '', such calls have no maximum.
   */
  readonly takes: Readonly<Record<string, number>>;
  run(call: Call): Promise<Outcome>;
}

/** Thrown when a call doesn't match the usage of the command. The exit code is then 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const COMMON: Readonly<Record<string, Option>> = {
  json: { type: 'boolean', help: 'print one line of JSON instead of text' },
  help: { type: 'boolean', help: 'print this help' },
};

/**
 * Parses the arguments of a command.
 * @throws UsageError for unknown options and excess arguments
 */
export function readCall(command: Command, argv: readonly string[], io: Io): Call {
  const options = Object.fromEntries(
    Object.entries({ ...command.options, ...COMMON }).map(([name, { type, multiple = false }]) => [
      name,
      { type, multiple },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
    refuseMore(command, positionals);
    const given = values as Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
    return {
      io,
      args: positionals,
      text: (option) => (typeof given[option] === 'string' ? given[option] : undefined),
      flag: (option) => given[option] === true,
      texts: (option) => (Array.isArray(given[option]) ? given[option] : []),
    };
  } catch (cause) {
    throw new UsageError((cause as Error).message);
  }
}

/** Rejects arguments that would be ignored, such as the second word of an unquoted name. */
function refuseMore({ takes }: Command, args: readonly string[]): void {
  const [verb = ''] = args;
  const ofVerb = verb !== '' && Object.hasOwn(takes, verb) ? takes[verb] : undefined;
  const most = ofVerb === undefined ? takes[''] : ofVerb + 1;
  const more = most === undefined ? undefined : args[most];
  if (more !== undefined)
    throw new UsageError(`unexpected argument ${more}; put a name with spaces in quotes`);
}

/**
 * @returns the value
 * @throws UsageError when the value is missing or empty
 */
export function required(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new UsageError(`${what} is missing`);
  return value;
}

export function helpOf(name: string, summary: string, { usage, options }: Command): string[] {
  const all = Object.entries({ ...options, ...COMMON });
  const shown = all.map(([option, { value, help }]) => [
    `  --${option}${value === undefined ? '' : ` ${value}`}`,
    help,
  ]);
  const width = Math.max(...shown.map(([left = '']) => left.length)) + 2;
  return [
    summary,
    '',
    ...usage.map((line) => `  fixpoint ${line}`),
    '',
    `Options of ${name}:`,
    ...shown.map(([left = '', right = '']) => left.padEnd(width) + right),
  ];
}
