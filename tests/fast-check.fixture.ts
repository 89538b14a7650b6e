/**
 * fast-check with the same seed as the simulations. Each test run tries the same inputs, unless
 * `FIXPOINT_SEED` changes the seed. `npm run check` tries fewer of them.
 */
import { createRequire } from 'node:module';
import { generated, seed } from '../packages/engine/tests/budget.fixture.ts';

// vitest.config.ts resolves "fast-check" to this file.
const { default: fc } = createRequire(import.meta.url)('fast-check') as typeof import('fast-check');

const INPUTS = 100;
fc.configureGlobal({ seed: seed(), numRuns: generated(INPUTS) });

export default {
  ...fc,
  assert: ((property, parameters) =>
    fc.assert(property, {
      ...parameters,
      numRuns: generated(parameters?.numRuns ?? INPUTS),
    })) as typeof fc.assert,
};
