/** Properties are tried with inputs of the seed of the run, as the simulations are: the same ones in each run of the tests, unless `FIXPOINT_SEED` gives another one. */
import { createRequire } from 'node:module';
import { seed } from '../packages/engine/tests/budget.fixture.ts';

// Its name means this file here: see vitest.config.ts.
const { default: fc } = createRequire(import.meta.url)('fast-check') as typeof import('fast-check');

fc.configureGlobal({ seed: seed() });

export default fc;
