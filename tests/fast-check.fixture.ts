/**
 * fast-check with the same seed as the simulations. Each test run tries the same inputs, unless
 * `FIXPOINT_SEED` changes the seed.
 */
import { createRequire } from 'node:module';
import { seed } from '../packages/engine/tests/budget.fixture.ts';

// vitest.config.ts resolves "fast-check" to this file.
const { default: fc } = createRequire(import.meta.url)('fast-check') as typeof import('fast-check');

fc.configureGlobal({ seed: seed() });

export default fc;
