/** An admin request is defined once: adding or changing one is work in a few places. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { REQUESTS } from '@fixpoint/protocol/admin';
import { describe, expect, test } from 'vitest';
import { isTest, tracked } from './tree.ts';

/** Definition, handler, the console's calls, the command line's calls, docs/specification.md. */
const PLACES_MAX = 5;

const ADVICE =
  'A request is named in its definition (packages/protocol/src/admin), its handler (packages/cloud/src/admin/requests), the console, the command line and docs/specification.md. Derive everything else from REQUESTS.';

/** Pages that are generated, dated, or give examples to users. */
const OTHER_PAGES = /^docs\/(access\.md|decisions\/|guide\/|benchmarks\/)/;

const isSource = (path: string): boolean => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path) && !isTest(path);
const isPage = (path: string): boolean =>
  path.startsWith('docs/') && path.endsWith('.md') && !OTHER_PAGES.test(path);

const texts = tracked
  .filter((path) => isSource(path) || isPage(path))
  .map((path) => [path, readFileSync(path, 'utf8')] as const);

/** Returns the method of the client: `listAudit` for `reqListAudit`. */
const methodOf = (type: string): string => `${type.charAt(3).toLowerCase()}${type.slice(4)}`;
const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Returns the places that name a request; screens of the console and commands are one each. */
function placesOf(type: string): string[] {
  const method = methodOf(type);
  const named = new RegExp(`\\b${type}\\b|\\b(?:api|client|admin|adminFor\\(call\\))\\.${method}\\(`);
  const paths = texts
    .filter(([path, text]) => named.test(text) || basename(path).startsWith(`${kebab(method)}.`))
    .map(([path]) => /^packages\/(?:console|cli)/.exec(path)?.[0] ?? path);
  return [...new Set(paths)].sort();
}

describe('admin requests', () => {
  test.each(Object.keys(REQUESTS))('%s is named in at most five places', (type) => {
    const places = placesOf(type);
    expect(places.length, `${type} is named in ${places.join(', ')}. ${ADVICE}`).toBeLessThanOrEqual(
      PLACES_MAX,
    );
    expect(places.length, `${type} is named nowhere but in its definition`).toBeGreaterThan(1);
  });

  test('are defined in one file and handled in one file each', () => {
    for (const type of Object.keys(REQUESTS)) {
      const key = new RegExp(`^  ${type}: `, 'm');
      const holders = texts.filter(([, text]) => key.test(text)).map(([path]) => path);
      expect(holders, ADVICE).toEqual([
        expect.stringMatching(/^packages\/cloud\/src\/admin\/requests\//),
        expect.stringMatching(/^packages\/protocol\/src\/admin\/[a-z-]+-requests\.ts$/),
      ]);
    }
  });
});
