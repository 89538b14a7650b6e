import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/** Tests and the suites that they share; ids stand in brackets in the names of tests. */
const tests = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(
    (path) => /\.test\.tsx?$|-suite\.ts$/.test(path) && !path.includes('/architecture/') && existsSync(path),
  );

/** Families of ids that docs/rules.md speaks of; others name sections and criteria of somebody else. */
const ID = /^[BKPRSW]\d+$/;

function carried(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const path of tests)
    for (const [, ids = ''] of readFileSync(path, 'utf8').matchAll(/\[((?:[A-Z]\d+(?:, ?| )?)+)\]/g))
      for (const id of ids.split(/[, ]+/)) if (ID.test(id)) found.set(id, path);
  return found;
}

/** The ids in the first column of a table under this heading. */
function listed(heading: string): string[] {
  const section = readFileSync('docs/rules.md', 'utf8')
    .split(/^#+ /m)
    .find((part) => part.startsWith(heading));
  return [...(section ?? '').matchAll(/^\| ([BKPRSW])(\d+)(?:-\1(\d+))? /gm)].flatMap(
    ([, family, from, to = from]) =>
      Array.from({ length: Number(to) - Number(from) + 1 }, (_none, n) => `${family}${Number(from) + n}`),
  );
}

describe('rules and their ids', () => {
  const claimed = listed('Rules and their ids');
  const open = listed('Not carried by a test yet');

  test('each id in a test is in docs/rules.md', () => {
    const known = new Set(claimed);
    expect([...carried()].filter(([id]) => !known.has(id))).toEqual([]);
  });

  test('each rule in the table has a test that carries its id', () => {
    expect(claimed.length).toBeGreaterThan(35);
    expect(claimed.filter((id) => !carried().has(id))).toEqual([]);
  });

  test('each rule is listed once, also those that no test carries yet', () => {
    const all = [...claimed, ...open];
    expect(all.filter((id, at) => all.indexOf(id) !== at)).toEqual([]);
    const goals = ['P', 'R', 'S'].flatMap((family, at) =>
      Array.from({ length: [5, 20, 18][at] ?? 0 }, (_none, n) => `${family}${n + 1}`),
    );
    expect(goals.filter((id) => !all.includes(id))).toEqual([]);
  });
});
