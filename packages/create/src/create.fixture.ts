/** A terminal without a process, and templates for tests. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Terminal } from './terminal.ts';

export interface FakeTerminal extends Terminal {
  readonly lines: string[];
  readonly errors: string[];
  readonly questions: string[];
}

const made: string[] = [];

/** Removes all folders that these fixtures created. */
export function removeFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Writes files below a new folder, and returns the folder. */
export function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'create-fixpoint-'));
  made.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

export const TEMPLATES = {
  'notes/package.json': JSON.stringify({
    name: 'notes',
    version: '0.0.0',
    description: 'Notes',
    type: 'module',
  }),
  'notes/_gitignore': 'node_modules\n',
  'notes/index.html': '<title>Notes</title>',
  'notes/src/main.ts': 'export {};\n',
  'notes/src/deep/package.json': '{"name":"inner"}',
  'board/package.json': JSON.stringify({ name: 'board', description: 'A board' }),
};

/** @param answers lines that the person types; undefined if nobody can answer */
export function fakeTerminal(answers?: readonly string[], agent = 'npm/10.8.2 node/v20'): FakeTerminal {
  const [lines, errors, questions]: [string[], string[], string[]] = [[], [], []];
  const left = [...(answers ?? [])];
  const ask = (question: string) => {
    questions.push(question);
    const answer = left.shift();
    return answer === undefined ? Promise.reject(new Error('Cancelled')) : Promise.resolve(answer);
  };
  return {
    folder: folderWith(),
    templates: folderWith(TEMPLATES),
    agent,
    ask: answers && ask,
    out: (line) => void lines.push(line),
    error: (line) => void errors.push(line),
    ...{ lines, errors, questions },
  };
}
