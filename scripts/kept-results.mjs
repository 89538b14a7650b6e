/**
 * Caches results that depend only on a text, in `node_modules/.cache`, so that checks don't parse
 * unchanged files again.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../node_modules/.cache/', import.meta.url));

/**
 * Calls `work` with a function `kept(text, make)`, which returns the cached result for the text, or
 * else the result of `make`. Results that this run doesn't request are removed from the cache.
 *
 * @param name part of the name of the cache file
 * @param code URL of the file whose code computes the results. If it changes, no cached result is
 *   used.
 * @param work a synchronous function. Cached results must be JSON.
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
  // Renames the complete file, so that another run never reads a part of it.
  const draft = `${file}.${process.pid}.${performance.now()}`;
  writeFileSync(draft, JSON.stringify(after));
  renameSync(draft, file);
  return result;
}
