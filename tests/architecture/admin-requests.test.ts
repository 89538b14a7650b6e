/**
 * Requires that each admin request is defined in one place, so that developers who add or change a
 * request edit few files.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { REQUESTS } from '@fixpoint/protocol/admin';
import { describe, expect, test } from 'vitest';
import { isTest, tracked } from './tree.ts';

/**
 * Maximum number of files that may mention a request: its definition, its handler, and three more.
 */
const PLACES_MAX = 6;

const ADVICE =
  'Mention a request only in its definition (packages/protocol/src/admin), its handler (packages/cloud/src/admin/requests), one file of the console, one command and one file of @fixpoint/server. Derive everything else from REQUESTS, and share one function between screens (packages/console/src/cloud/queries).';

/**
 * Pages that may mention any request: generated pages, dated pages, descriptions of all requests,
 * and guides with examples.
 */
const OTHER_PAGES = /^docs\/(access\.md|specification\.md|decisions\/|guide\/|benchmarks\/)/;

const isSource = (path: string): boolean => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path) && !isTest(path);
const isPage = (path: string): boolean =>
  path.startsWith('docs/') && path.endsWith('.md') && !OTHER_PAGES.test(path);

const texts = tracked
  .filter((path) => isSource(path) || isPage(path))
  .map((path) => [path, readFileSync(path, 'utf8')] as const);

/** Returns the name of the client method: `listAudit` for `reqListAudit`. */
const methodOf = (type: string): string => `${type.charAt(3).toLowerCase()}${type.slice(4)}`;
const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Returns the files that mention a request. */
function placesOf(type: string): string[] {
  const method = methodOf(type);
  const named = new RegExp(`\\b${type}\\b|\\b(?:api|client|admin|adminFor\\(call\\))\\.${method}\\(`);
  return texts
    .filter(([path, text]) => named.test(text) || basename(path).startsWith(`${kebab(method)}.`))
    .map(([path]) => path)
    .sort();
}

describe('admin requests', () => {
  test.each(Object.keys(REQUESTS))('mentions %s in at most six files', (type) => {
    const places = placesOf(type);
    expect(places.length, `${type} is named in ${places.join(', ')}. ${ADVICE}`).toBeLessThanOrEqual(
      PLACES_MAX,
    );
    expect(places.length, `${type} is named nowhere but in its definition`).toBeGreaterThan(1);
  });

  test('defines each request in one file and handles it in one file', () => {
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
