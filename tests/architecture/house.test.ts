import { cruise, type IForbiddenRuleType } from 'dependency-cruiser';
import { expect, test } from 'vitest';
import { PACKAGES, RULES } from './house.ts';

/** An arrow that there is: a resolver that reads nothing would find no violation of any rule. */
const FORBIDDEN: IForbiddenRuleType = {
  name: 'nobody uses protocol',
  severity: 'error',
  from: { path: '^packages/engine/src/' },
  to: { path: '^packages/protocol/src/' },
};

async function violations() {
  const { output } = await cruise(
    Object.keys(PACKAGES).map((name) => `packages/${name}/src`),
    {
      ruleSet: { forbidden: [...RULES, FORBIDDEN] },
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
  const found = output.summary.violations.map(({ rule, from, to }) => ({
    rule: rule.name,
    arrow: `${from} -> ${to}: ${rule.name}`,
  }));
  return {
    modules: output.modules.filter(({ source }) => source.startsWith('packages/')).length,
    ofHouse: found.flatMap(({ rule, arrow }) => (rule === FORBIDDEN.name ? [] : [arrow])),
    ofForbidden: found.filter(({ rule }) => rule === FORBIDDEN.name),
  };
}

test('every arrow between packages and rooms is one that the plan allows, and a forbidden one is found', async () => {
  const { modules, ofHouse, ofForbidden } = await violations();
  expect(modules).toBeGreaterThan(80);
  expect(ofForbidden.length).toBeGreaterThan(3);
  expect(ofHouse).toEqual([]);
});
