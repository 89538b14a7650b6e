import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/** Tests and shared suites. Their titles contain rule ids in brackets. */
const tests = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(
    (path) =>
      /\.test\.tsx?$|-(?:cases|suites)\.ts$/.test(path) &&
      !path.includes('/architecture/') &&
      existsSync(path),
  );

/**
 * Ids that docs/rules.md defines. All other ids in brackets refer to sections and criteria of other
 * documents.
 */
const ID = /^[BKPRSW]\d+$/;

function carried(isRight = (id: string) => ID.test(id)): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const path of tests)
    for (const [, ids = ''] of readFileSync(path, 'utf8').matchAll(/\[((?:[A-Z]\d+(?:, ?| )?)+)\]/g))
      for (const id of ids.split(/[, ]+/)) if (isRight(id)) found.set(id, path);
  return found;
}

/** Returns the ids in the first column of the table under a heading. */
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
  const open = listed('Not covered by a test yet');

  test('finds the rule ids of all test titles in docs/rules.md', () => {
    const known = new Set(claimed);
    expect([...carried()].filter(([id]) => !known.has(id))).toEqual([]);
  });

  test('finds a test title with the id of each rule in the table', () => {
    expect(claimed.length).toBeGreaterThan(35);
    expect(claimed.filter((id) => !carried().has(id))).toEqual([]);
  });

  test('lists each rule once, including those without a test', () => {
    const all = [...claimed, ...open];
    expect(all.filter((id, at) => all.indexOf(id) !== at)).toEqual([]);
    const goals = ['P', 'R', 'S'].flatMap((family, at) =>
      Array.from({ length: [5, 20, 18][at] ?? 0 }, (_none, n) => `${family}${n + 1}`),
    );
    expect(goals.filter((id) => !all.includes(id))).toEqual([]);
  });
});

describe('rules of the membership log', () => {
  const page = readFileSync('docs/internals/membership-rules.md', 'utf8');
  const cases = [...page.matchAll(/^\| (T\d+) \| ([^|]*) \|/gm)].map(([, id = '', rules = '']) => ({
    id,
    rules,
  }));
  const titles = carried(() => true);

  test('finds a test title with the id of each case', () => {
    expect(cases.length).toBeGreaterThan(75);
    expect(cases.filter(({ id }) => !titles.has(id))).toEqual([]);
  });

  test('lists each case once, and only rules that the page defines', () => {
    expect(cases.map(({ id }) => id)).toEqual(cases.map((_, at) => `T${at + 1}`));
    const defined = new Set([...page.matchAll(/^(?:- \*\*|\| )([A-Z]\d+)\b/gm)].map(([, id]) => id));
    const used = cases.flatMap(({ rules }) => rules.match(/\b[A-Z]\d+\b/g) ?? []);
    expect(used.filter((id) => !defined.has(id))).toEqual([]);
  });
});
