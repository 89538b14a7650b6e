import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../../packages/cloud/tests/cloud.fixture.ts';
import { manifestsHere, problemsOf, publishingOrder } from '../../scripts/release.mjs';
import { changelogWith, withVersion } from '../../scripts/version.mjs';

const manifests = manifestsHere();
const texts = {
  changelog: readFileSync('CHANGELOG.md', 'utf8'),
  upgrading: readFileSync('UPGRADING.md', 'utf8'),
};

describe('a release', () => {
  test('has one version, a section in the changelog, and one in the guide for upgrades', () => {
    expect(problemsOf(manifests, texts, { isDryRun: true })).toEqual([]);
    const [workspace = { name: '', version: '' }, ...packages] = manifests;
    const next = { ...workspace, version: '99.0.0' };
    const problems = problemsOf([next, ...packages], texts, { isDryRun: true });
    for (const { name, version } of packages)
      expect(problems).toContain(`${name} has the version ${version}, not 99.0.0`);
    expect(problems).toContain('@fixpoint/react depends on fixpoint 0.1.0');
    expect(problems.slice(-2)).toEqual([
      'CHANGELOG.md has no section 99.0.0',
      'UPGRADING.md has no section 99.0.0',
    ]);
  });

  test('needs a date in the changelog', () => {
    const withHeading = (heading: string) =>
      problemsOf(manifests, { ...texts, changelog: `# Changelog\n\n${heading}\n` });
    expect(withHeading('## 0.1.0 (unreleased)')).toEqual(['the section 0.1.0 of CHANGELOG.md has no date']);
    expect(withHeading('## 0.1.0 (2026-12-01)')).toEqual([]);
  });

  test('publishes each package after those that it depends on', () => {
    const packages = manifests.slice(1);
    const order = publishingOrder(packages);
    expect([...order].sort()).toEqual(packages.map(({ name }) => name).sort());
    for (const { name, dependencies = {}, peerDependencies = {} } of packages)
      for (const other of Object.keys({ ...dependencies, ...peerDependencies }).filter((one) =>
        order.includes(one),
      ))
        expect(order.indexOf(other), `${other} before ${name}`).toBeLessThan(order.indexOf(name));
  });

  test('runs in a workflow that only a tag of a version starts', () => {
    const workflow = parse(readFileSync('.github/workflows/release.yml', 'utf8'));
    expect(workflow.on).toEqual({ push: { tags: ['v*'] } });
    const runs = workflow.jobs.release.steps.flatMap(({ run }: { run?: string }) => run ?? []);
    expect(runs).toEqual(['npm ci', 'npm run release']);
    expect(workflow.jobs.release.needs).toEqual(['test']);
  });
});

describe('the version', () => {
  test('gets a section above those of earlier versions, by packages', () => {
    const texts = [
      { summary: 'Opens faster.\nTwice as fast.', releases: [{ name: 'fixpoint' }] },
      { summary: 'Has a button.', releases: [{ name: '@fixpoint/console' }] },
      { summary: 'Counts.', releases: [{ name: 'fixpoint' }] },
    ];
    expect(changelogWith('# Changelog\n\n## 0.1.0 (2026-12-01)\n', '0.2.0', texts)).toBe(
      `# Changelog

## 0.2.0 (unreleased)

### @fixpoint/console

- Has a button.

### fixpoint

- Opens faster.
  Twice as fast.
- Counts.

## 0.1.0 (2026-12-01)
`,
    );
  });

  test('follows the title in a changelog that has no versions yet', () => {
    const [text] = [{ summary: 'Counts.', releases: [{ name: 'fixpoint' }] }];
    expect(changelogWith('# Changelog\n\nAll changes.\n', '0.1.0', [text])).toBe(
      '# Changelog\n\nAll changes.\n\n## 0.1.0 (unreleased)\n\n### fixpoint\n\n- Counts.\n\n',
    );
  });

  test('replaces only the version of this product, not those of others that contain it', () => {
    const manifest = (own: string) =>
      JSON.stringify(
        {
          version: own,
          dependencies: { fixpoint: own, '@fixpoint/react': `^${own}`, other: '0.1.0', more: '10.1.0' },
        },
        null,
        2,
      );
    const names = ['fixpoint', '@fixpoint/react'];
    expect(withVersion('package.json', manifest('0.1.0'), '0.1.0', '0.2.0', names)).toBe(manifest('0.2.0'));
    const page = (own: string) =>
      `fixpoint-server-${own}-linux-x64.tgz, not 10.1.0, 0.1.01 or 1.0.1.0: ${own}.`;
    expect(withVersion('install.md', page('0.1.0'), '0.1.0', '0.2.0', names)).toBe(page('0.2.0'));
  });

  test('comes from the changesets, for all packages and wherever it is written', async () => {
    const copy = await temporaryFolder();
    const { stdout } = spawnSync(
      'git',
      ['ls-files', '*package.json', 'package-lock.json', '*.md', 'scripts'],
      {
        encoding: 'utf8',
      },
    );
    const more = ['.changeset/config.json', 'packages/cloud/src/start-http.ts'];
    for (const path of [...stdout.trim().split('\n'), ...more]) cpSync(path, join(copy, path));
    mkdirSync(join(copy, 'node_modules'));
    for (const name of ['.bin', '@changesets'])
      symlinkSync(resolve('node_modules', name), join(copy, 'node_modules', name));
    writeFileSync(join(copy, '.changeset/one.md'), '---\n"@fixpoint/react": minor\n---\n\nHas a new hook.\n');
    const given = spawnSync('node', ['scripts/version.mjs'], { cwd: copy, encoding: 'utf8' });
    expect(given).toMatchObject({ status: 0, stderr: '' });
    const read = (path: string) => readFileSync(join(copy, path), 'utf8');
    const changed = stdout.split('\n').filter((path) => path.endsWith('package.json'));
    const manifestsThere = changed.map((path) => JSON.parse(read(path)));
    expect(manifestsThere.map(({ version }) => version)).toEqual(changed.map(() => '0.2.0'));
    const there = manifestsThere.filter(({ private: isPrivate }) => isPrivate !== true);
    const upgrading = `${texts.upgrading}\n### 0.2.0\n`;
    expect(
      problemsOf([manifestsThere.find(({ workspaces }) => workspaces !== undefined), ...there], {
        changelog: read('CHANGELOG.md'),
        upgrading,
      }),
    ).toEqual(['the section 0.2.0 of CHANGELOG.md has no date']);
    expect(read('packages/cloud/src/start-http.ts')).toContain("VERSION = '0.2.0'");
    expect(read('CHANGELOG.md')).toContain('### @fixpoint/react\n\n- Has a new hook.\n');
  });
});
