import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const text = readFileSync(new URL('docs/security.md', root), 'utf8');

interface Item {
  readonly id: string;
  readonly level: string;
  readonly state: string;
  readonly how: string;
  readonly tests: readonly Proof[];
}

/** A test that proves an item: its file, and some words of its title. */
interface Proof {
  readonly path: string;
  readonly title: string;
}

const items: Item[] = [
  ...text.matchAll(/^\| (\d+\.\d+\.\d+) \| (\d) \| ([^|]+) \| ([^|]*) \| ([^|]*) \|$/gm),
].map(([, id = '', level = '', state = '', how = '', named = '']) => ({
  id,
  level,
  state: state.replaceAll('*', ''),
  how,
  tests: [...named.matchAll(/`([^`]+)` "([^"]+)"/g)].map(([, path = '', title = '']) => ({ path, title })),
}));

const placeOf = (path: string): string | undefined =>
  [path, `packages/${path}`]
    .map((each) => fileURLToPath(new URL(each, root)))
    .find((place) => existsSync(place));

/** Returns the lines that may contain a test title: all lines except comments and imports. */
const titlesIn = (place: string): string =>
  readFileSync(place, 'utf8')
    .split('\n')
    .filter((line) => /['"`]/.test(line) && !/^\s*(\*|\/\/|\/\*|import )/.test(line))
    .join('\n');

/** Number of items at levels 1 and 2 in each chapter of ASVS 5.0.0. */
const COUNTS = [27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16, 7];

describe('[S18] docs/security.md', () => {
  test('has each item of ASVS 5.0.0 of levels 1 and 2, once', () => {
    const chapters = COUNTS.map(
      (_, index) => items.filter(({ id }) => id.startsWith(`${index + 1}.`)).length,
    );
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
    expect(items).toHaveLength(253);
    expect(chapters).toEqual(COUNTS);
  });

  test('quotes a test title after each test file', () => {
    const table = text.slice(text.indexOf('| Item | Level |'));
    expect(table.match(/`[^`]+\.test\.tsx?`/g)).toHaveLength(items.flatMap(({ tests }) => tests).length);
  });

  test('lists an existing test for each item that is met, and a reason for all others', () => {
    for (const { id, state, how, tests } of items) {
      expect(['met', 'not applicable', 'operator', 'open'], id).toContain(state);
      expect(how.length, id).toBeGreaterThan(2);
      if (state === 'met') expect(tests, id).not.toEqual([]);
      for (const { path, title } of tests) {
        const place = placeOf(path);
        expect(place, `${id}: ${path}`).toBeDefined();
        expect(titlesIn(place ?? ''), `${id}: ${path}`).toContain(title);
      }
    }
  });
});
