/** Dangerous patterns that product code avoids. The few exceptions are listed by file. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const sources = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path) && !/\.(test|fixture)\.tsx?$/.test(path))
  .filter((path) => !path.includes('/src/testing/') && existsSync(path));

/** Returns the source without lines that contain only a comment. */
const codeOf = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(\*|\/\/|\/\*)/.test(line))
    .join('\n');

interface Absent {
  readonly what: string;
  readonly sign: RegExp;
  /** Files that may contain the pattern. The comment above the list gives the reason. */
  readonly allowed?: readonly string[];
}

const ABSENT: readonly Absent[] = [
  {
    what: 'turns text into markup',
    sign: /\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write)\b/,
  },
  { what: 'builds SQL from text', sign: /\bsql\.(raw|lit|ref|id|table)\b/ },
  { what: 'starts another program', sign: /node:child_process|node:cluster/ },
  {
    what: 'builds a regular expression from input',
    sign: /new RegExp\(/,
    // Two files build the expression from constants. The third one lets the platform check the
    // syntax of a pattern, and runs only its parts that match one character.
    allowed: [
      'packages/console/src/local/forget-notes.ts',
      'packages/engine/src/find/text-pattern.ts',
      'packages/engine/src/index/key-order.ts',
    ],
  },
  { what: 'runs text as code', sign: /\beval\(|new Function\(|node:vm\b|setTimeout\(['"`]/ },
  {
    what: 'receives messages from other windows',
    sign: /addEventListener\('message'|\.onmessage\b/,
    // These files receive messages from their own workers and ports, from tabs of the same origin,
    // and from the gateway's socket.
    allowed: [
      'packages/console/src/cloud/app.ts',
      'packages/console/src/engine/answers.ts',
      'packages/console/src/engine/asking.ts',
      'packages/console/src/engine/engine-worker.ts',
      'packages/console/src/engine/map-workers.ts',
      'packages/console/src/engine/tasks.ts',
      'packages/console/src/features/sign-in-aside/picture-worker.ts',
      'packages/console/src/features/sign-in-aside/use-two-databases.ts',
      'packages/console/src/local/databases.ts',
      'packages/engine/src/platform/browser/browser-platform.ts',
      'packages/engine/src/platform/browser/tab-lease.ts',
      'packages/engine/src/platform/fetch-network.ts',
      'packages/engine/src/platform/opfs/opfs-store.ts',
      'packages/engine/src/platform/sandbox/browser-sandbox.ts',
      'packages/engine/src/platform/sandbox/sandbox-worker.ts',
      'packages/engine/src/platform/system.ts',
    ],
  },
  {
    what: 'uses guessable random numbers',
    sign: /Math\.random/,
    // The first file chooses a random pause before a retry. The second file replaces Math.random in
    // map functions.
    allowed: ['packages/cloud/src/objects/bucket.ts', 'packages/engine/src/platform/sandbox/prelude.ts'],
  },
  {
    what: 'encrypts without authentication',
    sign: /-(ecb|cbc|cfb|ofb)\b|AES-(CBC|ECB)|\b(rc4|des)-/i,
  },
  { what: 'uses a broken hash', sign: /\b(md5|sha-?1)\b/i },
  {
    what: 'accepts unverified TLS certificates',
    sign: /rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED/,
  },
  { what: 'calls URL.canParse, which accepts URLs that the constructor rejects', sign: /URL\.canParse/ },
];

describe('[S18] product code', () => {
  test('finds the sources', () => {
    expect(sources.length).toBeGreaterThan(200);
  });

  test.each(ABSENT)('never $what, except in the allowed files', ({ sign, allowed = [] }) => {
    const found = sources.filter((path) => sign.test(codeOf(path)));
    expect(found).toEqual([...allowed].sort());
  });
});
