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

/** Lines of sources (or of all tracked code) that a rule refuses, as `path:line text`. */
function refused(paths: readonly string[], rule: RegExp): string[] {
  return paths.flatMap((path) =>
    linesOf(path).flatMap((line, at) => (rule.test(line) ? [`${path}:${at + 1} ${line.trim()}`] : [])),
  );
}

describe('tidy', () => {
  test('there are sources to look at', () => {
    expect(sources.length).toBeGreaterThan(80);
  });

  test('no file is a drawer: names say a subject', () => {
    const drawer = /^(utils?|helpers?|common|managers?|impl|misc|types)\./;
    expect(sources.filter((path) => drawer.test(basename(path)))).toEqual([]);
  });

  test('files are named in kebab-case', () => {
    const kebab = /^[a-z0-9$_.~-]+\.tsx?$/;
    expect(sources.filter((path) => !kebab.test(basename(path)))).toEqual([]);
  });

  test('no source file is longer than 400 lines, no test longer than 600', () => {
    const over = sources.filter((path) => linesOf(path).length > (isTest(path) ? 600 : 400));
    expect(over).toEqual([]);
  });

  test('no code stands in comments', () => {
    expect(
      refused(sources, /^\s*\/\/\s*(const|let|import|export|return|if \(|await|for \()\b.*[;{]\s*$/),
    ).toEqual([]);
  });

  test('nothing is left to do without a place to look it up', () => {
    expect(refused(sources, /\b(TODO|FIXME|XXX|HACK)\b/)).toEqual([]);
  });

  test('no test is switched off or alone', () => {
    const tests = tracked.filter(
      (path) => /\.test\.tsx?$/.test(path) && !path.startsWith('tests/architecture/'),
    );
    expect(refused(tests, /\b(test|describe|it)\.(only|skip|todo)\(/)).toEqual([]);
  });

  test('tests that replace modules say so in their names: other files share their modules', () => {
    const tests = tracked.filter((path) => /(?<!\.mocked)\.test\.tsx?$/.test(path));
    expect(refused(tests, /^\s*vi\.(doM|m)ock\(/)).toEqual([]);
  });

  test('tests that need a document are .test.tsx files: those share one environment', () => {
    expect(refused(tracked.filter(isTest), /@vitest-environment\s/)).toEqual([]);
  });

  test('Node modules are used in the platform room of the engine alone', () => {
    const engine = sources.filter(
      (path) =>
        path.startsWith('packages/engine/') &&
        !/\/src\/(platform\/|testing\/|entries\/node\.ts)/.test(path) &&
        !isTest(path),
    );
    expect(refused(engine, /from 'node:/)).toEqual([]);
  });

  test('clock, randomness, timers and network come through ports in the engine', () => {
    const engine = sources.filter(
      (path) =>
        path.startsWith('packages/engine/src/') && !/\/src\/(platform|testing)\//.test(path) && !isTest(path),
    );
    const outside =
      /\b(Date\.now\(|Math\.random\(|setTimeout\(|setInterval\(|getRandomValues\(|indexedDB\b|new WebSocket\()|[^.\w]fetch\(/;
    const code = refused(engine, outside).filter((line) => !/^\S+ (\*|\/\/|\/\*)/.test(line));
    expect(code).toEqual([]);
  });

  test('no test looks at a clock to pass', () => {
    const tests = tracked.filter((path) => /\.test\.tsx?$/.test(path));
    expect(refused(tests, /expect\([^)]*\b(elapsed|duration|tookMs|performance\.now)\b/i)).toEqual([]);
  });
});
