import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const page = readFileSync('docs/specification.md', 'utf8');
const anchors = [...page.matchAll(/<a id="s([\d.]+)"><\/a>/g)].map(([, id = '']) => id);

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.(tsx?|mjs|md)$/.test(path) && existsSync(path))
  .filter((path) => path !== 'tests/architecture/specification.test.ts');

/**
 * Finds ids in references, such as "spec §5.8" and "spec §3, §5", and ids in brackets at the start
 * of titles.
 */
function idsIn(content: string): string[] {
  const references = [...content.matchAll(/\bspec ((?:§[\d.]*\d(?:, )?)+)/g)].map(([, ids = '']) => ids);
  const titles = [...content.matchAll(/['"`]((?:\[[^\]\n'"`]+\])+) /g)].map(([, ids = '']) => ids);
  const inTitles = titles.flatMap((ids) =>
    [...ids.matchAll(/\[(?:spec )?(\d[\d.]*)\]/g)].map(([, id = '']) => id),
  );
  return [...references.flatMap((ids) => ids.match(/\d[\d.]*(?<!\.)/g) ?? []), ...inTitles];
}

const used = tracked.flatMap((path) => idsIn(readFileSync(path, 'utf8')).map((id) => ({ path, id })));

describe('docs/specification.md', () => {
  test('has an anchor for each id that code, tests and pages refer to', () => {
    expect(used.length).toBeGreaterThan(100);
    expect(used.filter(({ id }) => !anchors.includes(id))).toEqual([]);
  });

  test('has each anchor once', () => {
    expect(anchors.filter((id, at) => anchors.indexOf(id) !== at)).toEqual([]);
  });

  test('is the only specification that code refers to', () => {
    const others = /\b(data format|wire protocol|specification) \d+(\.\d+)?\b/;
    expect(tracked.filter((path) => others.test(readFileSync(path, 'utf8')))).toEqual([]);
  });
});

describe('ids of the specification', () => {
  test.each([
    ['// Trims the name (spec §5.8).', ['5.8']],
    ['/** The tables (spec §3, §5). */', ['3', '5']],
    ["test('[7.1][7.2] grants', () => {})", ['7.1', '7.2']],
    ["test('[spec 5.2][R1] requires', () => {})", ['5.2']],
    ["test('[R1] keeps', () => {})", []],
  ])('finds the ids in %s', (content, ids) => {
    expect(idsIn(content)).toEqual(ids);
  });
});
