import { cruise, type IForbiddenRuleType } from 'dependency-cruiser';
import { describe, expect, test } from 'vitest';
import { PACKAGES, RULES } from './house.ts';

async function violationsOf(rules: IForbiddenRuleType[]) {
  const { output } = await cruise(
    Object.keys(PACKAGES).map((name) => `packages/${name}/src`),
    {
      ruleSet: { forbidden: rules },
      validate: true,
      tsPreCompilationDeps: true,
      doNotFollow: { path: ['node_modules', '/dist/'] },
      exclude: { path: ['/dist/', '/dist-types/'] },
      enhancedResolveOptions: {
        exportsFields: ['exports'],
        conditionNames: ['fixpoint-source', 'import', 'default'],
        extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
      },
    },
  );
  if (typeof output === 'string') throw new Error(output);
  return {
    modules: output.modules.filter(({ source }) => source.startsWith('packages/')).length,
    violations: output.summary.violations.map(({ rule, from, to }) => `${from} -> ${to}: ${rule.name}`),
  };
}

describe('the house', () => {
  test('every arrow between packages and rooms is one that the plan allows', async () => {
    const { modules, violations } = await violationsOf(RULES);
    // A resolver that reads nothing would find no violation either.
    expect(modules).toBeGreaterThan(80);
    expect(violations).toEqual([]);
  }, 60_000);

  test('a forbidden arrow is found', async () => {
    const forbidProtocol: IForbiddenRuleType = {
      name: 'nobody uses protocol',
      severity: 'error',
      from: { path: '^packages/engine/src/' },
      to: { path: '^packages/protocol/src/' },
    };
    const { violations } = await violationsOf([forbidProtocol]);
    expect(violations.length).toBeGreaterThan(3);
  }, 60_000);
});
