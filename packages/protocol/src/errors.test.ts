import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERROR_TEXT } from './errors.ts';

/** Error texts of spec §5, and those of spec §8 for transport, gateway, database and engine. */
const CATALOGUE = [
  ['encode error', 'fetch error', 'HTTP Error', 'decode error', 'Timeout', 'WS Error', 'Invalid message'],
  ['Received message before onOpen', 'Connection not open', 'should be ResGestalt', 'unexpected response'],
  [
    'name not found',
    'No connection found',
    'Not found',
    'Not implemented',
    'Error in put fetch',
    'Error in get fetch',
  ],
  ['missing keybag', 'missing store key', 'did not found a extractable key', 'failed to upsert key'],
  ['CRDT is not ready', 'use shellClose', 'LedgerShell mismatch', 'subscriber error'],
  ['Doc id is required', 'missing block', 'missing car files', 'No token available'],
  ['store mismatch', 'Invalid FPStoreTypes', 'authJWK is required', 'missing head', 'missing indexes'],
  ['Document must have an _id to be removed', 'Document not found'],
].flat();

const packages = join(import.meta.dirname, '../..');
const sources = readdirSync(packages, { recursive: true, encoding: 'utf8' })
  .filter((path) => /^[a-z]+\/src\/.*\.tsx?$/.test(path) && !/\.(test|fixture)\.tsx?$/.test(path))
  .filter((path) => !path.endsWith('protocol/src/errors.ts'))
  .map((path) => readFileSync(join(packages, path), 'utf8'))
  .join('\n');

describe('the error catalogue', () => {
  test.each(CATALOGUE)('[8] has a code for %s', (text) => {
    expect(Object.values(ERROR_TEXT)).toContain(text);
  });

  test.each(Object.keys(ERROR_TEXT))('contains %s, which at least one source file uses', (code) => {
    expect(sources).toMatch(new RegExp(`['"]${code}['"]`));
  });

  test('gives every code a different text', () => {
    expect(new Set(Object.values(ERROR_TEXT)).size).toBe(Object.keys(ERROR_TEXT).length);
  });
});
