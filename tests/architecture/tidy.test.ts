import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(path));
const sources = tracked.filter((path) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path));
const isTest = (path: string) => /\.(test|fixture)\.tsx?$/.test(path);
const linesOf = (path: string) => readFileSync(path, 'utf8').split('\n');

/** Lists the lines that match a forbidden pattern, as `path:line text`. */
function refused(paths: readonly string[], rule: RegExp): string[] {
  return paths.flatMap((path) =>
    linesOf(path).flatMap((line, at) => (rule.test(line) ? [`${path}:${at + 1} ${line.trim()}`] : [])),
  );
}

describe('tidy', () => {
  test('finds the sources', () => {
    expect(sources.length).toBeGreaterThan(80);
  });

  test('never uses general file names such as utils', () => {
    const drawer = /^(utils?|helpers?|common|managers?|impl|misc|types)\./;
    expect(sources.filter((path) => drawer.test(basename(path)))).toEqual([]);
  });

  test('requires file names in kebab-case', () => {
    const kebab = /^[a-z0-9$_.~-]+\.tsx?$/;
    expect(sources.filter((path) => !kebab.test(basename(path)))).toEqual([]);
  });

  test('has no source file over 400 lines and no test over 600', () => {
    const over = sources.filter((path) => linesOf(path).length > (isTest(path) ? 600 : 400));
    expect(over).toEqual([]);
  });

  test('has no commented-out code', () => {
    expect(
      refused(sources, /^\s*\/\/\s*(const|let|import|export|return|if \(|await|for \()\b.*[;{]\s*$/),
    ).toEqual([]);
  });

  test('has no lines that a merge left behind', () => {
    const texts = tracked.filter((path) => /\.(tsx?|m?js|json|md|css|html)$/.test(path));
    expect(refused(texts, /^(<{7}|>{7}|\|{7}) /)).toEqual([]);
  });

  test('has no TODO comments', () => {
    expect(refused(sources, /\b(TODO|FIXME|XXX|HACK)\b/)).toEqual([]);
  });

  test('has no skipped or focused tests', () => {
    const tests = tracked.filter(
      (path) => /\.test\.tsx?$/.test(path) && !path.startsWith('tests/architecture/'),
    );
    expect(refused(tests, /\b(test|describe|it)\.(only|skip|todo)\(/)).toEqual([]);
  });

  test('requires the name *.mocked.test.ts for tests that replace modules, because all other test files share their modules', () => {
    const tests = tracked.filter((path) => /(?<!\.mocked)\.test\.tsx?$/.test(path));
    expect(refused(tests, /^\s*vi\.(doM|m)ock\(/)).toEqual([]);
  });

  test('requires the name *.test.tsx for tests that need a DOM, because these share one environment', () => {
    expect(refused(tracked.filter(isTest), /@vitest-environment\s/)).toEqual([]);
  });

  test('uses Node modules only in the platform folder of the engine', () => {
    const engine = sources.filter(
      (path) =>
        path.startsWith('packages/engine/') &&
        !/\/src\/(platform\/|testing\/|entries\/node\.ts)/.test(path) &&
        !isTest(path),
    );
    expect(refused(engine, /from 'node:/)).toEqual([]);
  });

  test('accesses clock, randomness, timers and network through ports in the engine', () => {
    const engine = sources.filter(
      (path) =>
        path.startsWith('packages/engine/src/') && !/\/src\/(platform|testing)\//.test(path) && !isTest(path),
    );
    const outside =
      /\b(Date\.now\(|Math\.random\(|setTimeout\(|setInterval\(|getRandomValues\(|indexedDB\b|new WebSocket\()|[^.\w]fetch\(/;
    const code = refused(engine, outside).filter((line) => !/^\S+ (\*|\/\/|\/\*)/.test(line));
    expect(code).toEqual([]);
  });

  test('has no test that asserts elapsed time', () => {
    const tests = tracked.filter((path) => /\.test\.tsx?$/.test(path));
    expect(refused(tests, /expect\([^)]*\b(elapsed|duration|tookMs|performance\.now)\b/i)).toEqual([]);
  });
});
