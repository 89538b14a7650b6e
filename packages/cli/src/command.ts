import { parseArgs } from 'node:util';
import type { Io } from './io.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly help: string;
  /** What stands for the value in the help text. */
  readonly value?: string;
}

export interface Call {
  readonly io: Io;
  /** Arguments that are no options. */
  readonly args: readonly string[];
  /** A value that was given. */
  text(option: string): string | undefined;
  flag(option: string): boolean;
}

/** What a command has to say: as JSON with `--json`, else as lines. */
export interface Outcome {
  readonly json: unknown;
  readonly lines: readonly string[];
  /** Whether what was looked at is not as it should be; the exit code is 1 then. */
  readonly failed?: boolean;
}

export interface Command {
  readonly summary: string;
  /** How it is called, without `fixpoint`, one line for each way. */
  readonly usage: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  /** How many arguments each verb takes at most, under '' how many there are without one; a verb that is not named takes any number. */
  readonly takes: Readonly<Record<string, number>>;
  run(call: Call): Promise<Outcome>;
}

/** The command was not called as its usage says; the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const COMMON: Readonly<Record<string, Option>> = {
  json: { type: 'boolean', help: 'print one line of JSON instead of text' },
  help: { type: 'boolean', help: 'print this' },
};

/** @throws UsageError for options that the command does not have */
export function readCall(command: Command, argv: readonly string[], io: Io): Call {
  const options = Object.fromEntries(
    Object.entries({ ...command.options, ...COMMON }).map(([name, { type }]) => [name, { type }]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
    refuseMore(command, positionals);
    const given = values as Readonly<Record<string, string | boolean | undefined>>;
    return {
      io,
      args: positionals,
      text: (option) => (typeof given[option] === 'string' ? given[option] : undefined),
      flag: (option) => given[option] === true,
    };
  } catch (cause) {
    throw new UsageError((cause as Error).message);
  }
}

/** What would be left out without a word, such as the second half of a name that was not quoted. */
function refuseMore({ takes }: Command, args: readonly string[]): void {
  const [verb = ''] = args;
  const ofVerb = verb !== '' && Object.hasOwn(takes, verb) ? takes[verb] : undefined;
  const most = ofVerb === undefined ? takes[''] : ofVerb + 1;
  const more = most === undefined ? undefined : args[most];
  if (more !== undefined)
    throw new UsageError(`${more} is one argument too many; put a name of several words in quotes`);
}

/** @throws UsageError when it was not given */
export function required(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new UsageError(`${what} is missing`);
  return value;
}

export function helpOf(name: string, { summary, usage, options }: Command): string[] {
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
