import { readFileSync } from 'node:fs';

/**
 * Applies one change to a source file when tests load the file. `FIXPOINT_MUTANT` contains the
 * change as JSON: `{path, start, end, text}`.
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
