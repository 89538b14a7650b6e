/**
 * fast-check with the seed of the test run, like the simulations. Each run tries the same inputs
 * unless `FIXPOINT_SEED` differs.
 */
import { createRequire } from 'node:module';
import { seed } from '../packages/engine/tests/budget.fixture.ts';

// vitest.config.ts resolves "fast-check" to this file.
const { default: fc } = createRequire(import.meta.url)('fast-check') as typeof import('fast-check');

fc.configureGlobal({ seed: seed() });

export default fc;
