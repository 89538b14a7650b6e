import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { manifestsHere, problemsOf, publishingOrder } from '../../scripts/release.mjs';

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
