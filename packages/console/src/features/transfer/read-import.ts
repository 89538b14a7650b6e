/** Reads documents from a file, and checks them before any write. */
import { LIMITS } from '@fixpoint/protocol';
import { fromPlain } from '../../values/plain-json.ts';
import { csvReader, docOfCells, hasSafeApostrophe, withoutSafeApostrophe } from './csv.ts';
import type { Format } from './formats.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface Problem {
  /** Counted from 1: the line of the file, or the position in a JSON list. */
  readonly at: number;
  readonly why: string;
}

export interface ReadFile {
  readonly docs: readonly Fields[];
  readonly problems: readonly Problem[];
  /** Number of CSV cells with an apostrophe like those that a spreadsheet-safe export adds. */
  readonly safeCells: number;
}

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Whether to remove the apostrophes that an export safe for spreadsheets adds. */
  readonly isSafe?: boolean;
}

/** Receives each value of the file and its position, including values that aren't documents. */
type Take = (at: number, value: unknown) => void;

/**
 * Returns all documents of a file, and the values that aren't documents. @throws the reason of the
 * signal
 */
export async function readImport(
  file: Blob,
  format: Format,
  { signal, isSafe = true }: ReadOptions,
): Promise<ReadFile> {
  const docs: Fields[] = [];
  const problems: Problem[] = [];
  let safeCells = 0;
  const cell = (text: string): string => {
    if (!hasSafeApostrophe(text)) return text;
    safeCells += 1;
    return isSafe ? withoutSafeApostrophe(text) : text;
  };
  const take: Take = (at, value) => {
    const why = problemOf(value);
    if (why === undefined) docs.push(value as Fields);
    else problems.push({ at, why });
  };
  const fail = (at: number, cause: unknown) => problems.push({ at, why: (cause as Error).message });
  if (format === 'csv') await readCsv(file, take, cell, signal);
  else if (format === 'ndjson') await readLines(file, take, fail, signal);
  else readJson(await file.text(), take, fail);
  signal.throwIfAborted();
  return { docs, problems, safeCells };
}

function problemOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Uint8Array)
    return 'This isn’t a JSON object.';
  const id = (value as Fields)['_id'];
  if (id !== undefined && (typeof id !== 'string' || id === ''))
    return 'An _id must be text with at least one character.';
  if (id !== undefined && !/^[\x20-\x7E]*$/.test(id))
    return 'An _id can contain only printable ASCII characters: letters without accents, digits and symbols.';
  if (id !== undefined && id.length > LIMITS.docKeyBytesMax)
    return `An _id can have at most ${LIMITS.docKeyBytesMax.toLocaleString('en')} characters.`;
  return undefined;
}

function readJson(text: string, take: Take, fail: (at: number, cause: unknown) => void): void {
  let value: unknown;
  try {
    value = fromPlain(JSON.parse(text));
  } catch (cause) {
    // JSON Lines files are often named .json, too.
    if (!takeLines(text, take)) fail(1, cause);
    return;
  }
  for (const [at, one] of (Array.isArray(value) ? value : [value]).entries()) take(at + 1, one);
}

function takeLines(text: string, take: Take): boolean {
  const values: [number, unknown][] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      values.push([at + 1, fromPlain(JSON.parse(line))]);
    } catch {
      return false;
    }
  }
  for (const [at, value] of values) take(at, value);
  return values.length > 0;
}

async function readLines(
  file: Blob,
  take: Take,
  fail: (at: number, cause: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  let rest = '';
  let at = 0;
  const read = (line: string) => {
    at += 1;
    if (line.trim() === '') return;
    try {
      take(at, fromPlain(JSON.parse(line)));
    } catch (cause) {
      fail(at, cause);
    }
  };
  for await (const text of textOf(file, signal)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) read(line);
  }
  if (rest !== '') read(rest);
}

async function readCsv(
  file: Blob,
  take: Take,
  cell: (text: string) => string,
  signal: AbortSignal,
): Promise<void> {
  const reader = csvReader();
  let fields: readonly string[] | undefined;
  let at = 0;
  const read = (lines: readonly (readonly string[])[]) => {
    for (const line of lines) {
      at += 1;
      const cells = line.map(cell);
      if (fields === undefined) fields = cells;
      else take(at, docOfCells(fields, cells));
    }
  };
  for await (const text of textOf(file, signal)) read(reader.push(text));
  read(reader.end());
}

async function* textOf(file: Blob, signal: AbortSignal): AsyncGenerator<string, void> {
  const reader = file.stream().getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) break;
      yield decoder.decode(value, { stream: true });
    }
    yield decoder.decode();
  } finally {
    await reader.cancel();
  }
}
