/** What the code that runs does without: places where a mistake would be a hole are few, named, and looked at when one comes. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const sources = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path) && !/\.(test|fixture)\.tsx?$/.test(path))
  .filter((path) => !path.includes('/src/testing/') && existsSync(path));

/** Without comments that have lines of their own. */
const codeOf = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(\*|\/\/|\/\*)/.test(line))
    .join('\n');

interface Absent {
  readonly what: string;
  readonly sign: RegExp;
  /** Files that may, each for a reason that stands there. */
  readonly allowed?: readonly string[];
}

const ABSENT: readonly Absent[] = [
  {
    what: 'makes markup of text',
    sign: /\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write)\b/,
  },
  { what: 'puts SQL together of texts', sign: /\bsql\.(raw|lit|ref|id|table)\b/ },
  { what: 'starts another program', sign: /node:child_process|node:cluster/ },
  {
    what: 'makes an expression of what somebody sent',
    sign: /new RegExp\(/,
    // Of constants.
    allowed: ['packages/console/src/local/forget-notes.ts', 'packages/engine/src/index/key-order.ts'],
  },
  { what: 'runs text as code', sign: /\beval\(|new Function\(|node:vm\b|setTimeout\(['"`]/ },
  {
    what: 'hears messages of other windows',
    sign: /addEventListener\('message'|\.onmessage\b/,
    // Of workers that it started, ports that it made, tabs of its own origin, and the socket to the gateway.
    allowed: [
      'packages/console/src/engine/answers.ts',
      'packages/console/src/engine/asking.ts',
      'packages/console/src/engine/engine-worker.ts',
      'packages/console/src/local/databases.ts',
      'packages/engine/src/platform/browser/browser-platform.ts',
      'packages/engine/src/platform/browser/tab-lease.ts',
      'packages/engine/src/platform/fetch-network.ts',
      'packages/engine/src/platform/sandbox/browser-sandbox.ts',
      'packages/engine/src/platform/sandbox/worker.ts',
      'packages/engine/src/platform/system.ts',
    ],
  },
  {
    what: 'takes numbers that can be guessed',
    sign: /Math\.random/,
    // A pause before another try; what map functions get instead.
    allowed: ['packages/cloud/src/objects/bucket.ts', 'packages/engine/src/platform/sandbox/prelude.ts'],
  },
  {
    what: 'seals with a cipher that notices no change',
    sign: /-(ecb|cbc|cfb|ofb)\b|AES-(CBC|ECB)|\b(rc4|des)-/i,
  },
  { what: 'hashes by what is broken', sign: /\b(md5|sha-?1)\b/i },
  {
    what: 'speaks TLS with whom nobody vouches for',
    sign: /rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED/,
  },
  { what: 'asks URL.canParse, which says yes to what the constructor refuses', sign: /URL\.canParse/ },
];

describe('[S18] no source', () => {
  test('is left out', () => {
    expect(sources.length).toBeGreaterThan(200);
  });

  test.each(ABSENT)('$what, but where it is named', ({ sign, allowed = [] }) => {
    const found = sources.filter((path) => sign.test(codeOf(path)));
    expect(found).toEqual([...allowed].sort());
  });
});
