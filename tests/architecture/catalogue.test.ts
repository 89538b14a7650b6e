/**
 * Error texts of the specification. At least one source must contain each text, and at least one
 * test must expect it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/**
 * Error texts by section of the specification. A text with variable parts is cut before the first
 * variable part.
 */
const CATALOGUE: Readonly<Record<string, readonly string[]>> = {
  '4 states': ['Connection not open'],
  '5 validation': [
    'Name is required',
    'Name must be at least',
    'No database name provided',
    'Local name is required',
    'Error:',
    'store mismatch',
    'Invalid FPStoreTypes',
    'authJWK is required',
    'Document must have an _id to be removed',
    'Document not found',
    'missing head',
    'missing indexes',
    'Doc id is required',
  ],
  '6 roles': ['You need admin privileges to manage members.'],
  '8 cloud API': ['HTTP: ', 'No token available', 'Not found', 'Loading...'],
  '8 transport': [
    'encode error',
    'fetch error',
    'HTTP Error',
    'decode error',
    'TIMEOUT after',
    'Timeout',
    'WS Error',
    'Invalid message',
    'Received message before onOpen',
    'should be ResGestalt',
    'unexpected response',
  ],
  '8 gateway': [
    'name not found',
    'No connection found',
    'Not implemented',
    'Error in put fetch',
    'Error in get fetch',
    'missing keybag',
    'missing store key',
    'did not found a extractable key',
    'failed to upsert key',
  ],
  '8 database': ['CRDT is not ready', 'use shellClose', 'LedgerShell mismatch', 'subscriber error'],
  '8 engine': ['missing block', 'missing car files'],
};

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.tsx?$/.test(path) && existsSync(path));
const isTest = (path: string) => /\.test\.tsx?$/.test(path);
const textsOf = (paths: readonly string[]) => paths.map((path) => readFileSync(path, 'utf8'));

const sources = textsOf(
  tracked.filter(
    (path) => /^packages\/[a-z-]+\/src\//.test(path) && !isTest(path) && !/\.fixture\.tsx?$/.test(path),
  ),
);
/** Excludes tests that only list the texts. */
const tests = textsOf(
  tracked.filter((path) => isTest(path) && !/architecture\/|protocol\/src\/errors\.test/.test(path)),
);

describe.each(Object.entries(CATALOGUE))('specification, section %s', (_, texts) => {
  test.each(texts)('%s', (text) => {
    // Matches only whole words.
    const pattern = new RegExp(`(?<![A-Za-z])${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
    const isIn = (content: string) => pattern.test(content);
    expect(sources.some(isIn), 'no source contains this text').toBe(true);
    expect(tests.some(isIn), 'no test expects this text').toBe(true);
  });
});

test('lists more than 43 texts', () => {
  expect(Object.values(CATALOGUE).flat().length).toBeGreaterThan(43);
});
