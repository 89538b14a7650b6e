import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isFrequent } from './frequent-passwords.ts';

const file = readFileSync(new URL('../../../data/frequent-passwords.txt', import.meta.url), 'utf8');
const entries = file.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('frequent passwords', () => {
  test('contains parts of the hashes of more than 9,900 passwords', () => {
    expect(new Set(entries).size).toBeGreaterThan(9900);
    expect(entries.filter((entry) => !/^[0-9a-f]{10}$/.test(entry))).toEqual([]);
  });

  test('recognises a leaked password in upper and lower case', () => {
    expect(['baseball', 'BaseBall', 'BASEBALL'].map(isFrequent)).toEqual([true, true, true]);
  });

  test('excludes other passwords, and the empty text', () => {
    expect(['x9$kLm2q', 'correct horse battery', ''].map(isFrequent)).toEqual([false, false, false]);
  });

  test('includes the licence of the list', () => {
    expect(file).toMatch(/MIT, Copyright \(c\) 2012-2016 Dan Wheeler/);
  });

  test('is part of the published package', () => {
    const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
    expect((JSON.parse(manifest) as { files: string[] }).files).toContain('data');
  });
});
