import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { freePort } from './product.fixture.ts';
import { whyNoRoot } from './throwaway-root.fixture.ts';

const isQuick = (process.env['FIXPOINT_BUDGET'] ?? 'commit') === 'commit';

test.skipIf(isQuick || whyNoRoot !== undefined)(
  'runs all steps of the Dockerfile, and the server with a read-only root folder (only by night, and with root)',
  async () => {
    const env = { ...process.env, FIXPOINT_TRY_PORT: String(await freePort()) };
    // Vitest's own variables would change what the build in the script does.
    const { NODE_ENV, NODE_OPTIONS, VITEST, ...others } = env as Record<string, string>;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['deploy/try.mjs'], {
      env: others,
      encoding: 'utf8',
    });
    expect(status, `${stdout}${stderr}`).toBe(0);
    expect(stdout).toContain('All steps of the Dockerfile ran.');
  },
);
