/**
 * Keeps results that depend on texts alone in `node_modules/.cache`, so that checks don't parse
 * unchanged files again.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../node_modules/.cache/', import.meta.url));

/**
 * Calls `work` with a function `kept(text, make)`: it returns the result that the last run of this
 * name made for the text, or calls `make`. Only results that this run asks for stay for the next.
 *
 * @param name the name of the file with the results
 * @param code the file with the code that makes the results. If it changes, all are made again.
 * @param work synchronous; its result is returned. The kept results must be JSON.
 */
export function withKeptResults(name, code, work) {
  const file = resolve(FOLDER, `fixpoint-${name}.json`);
  const script = readFileSync(fileURLToPath(code), 'utf8');
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const after = {};
  const result = work((text, make) => {
    const key = createHash('sha256').update(script).update('\0').update(text).digest('base64');
    after[key] = before[key] ?? make();
    return after[key];
  });
  mkdirSync(FOLDER, { recursive: true });
  // Renames the finished file, so that another run never reads half of it.
  const draft = `${file}.${process.pid}.${performance.now()}`;
  writeFileSync(draft, JSON.stringify(after));
  renameSync(draft, file);
  return result;
}
