import { readFileSync } from 'node:fs';

/**
 * Loads one file with one change in it for the tests: `FIXPOINT_MUTANT` is JSON of `{path, start,
 * end, text}`.
 */
export function mutantPlugin(json) {
  const { path, start, end, text } = JSON.parse(json);
  return {
    name: 'mutant',
    enforce: 'pre',
    load(id) {
      if (id.split('?')[0] !== path) return undefined;
      const code = readFileSync(path, 'utf8');
      return code.slice(0, start) + text + code.slice(end);
    },
  };
}
