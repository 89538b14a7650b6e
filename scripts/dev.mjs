/**
 * `npm run dev`: serves the console with hot reload on PORT, and restarts the cloud server when its
 * sources change.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { bin, ensureBuilt, ensureInstalled, requireNode, root, tsc } from './ready.mjs';

requireNode();
ensureInstalled();
await ensureBuilt();

const port = Number(process.env.PORT ?? 7370);
const cloudPort = port + 1;
const origin = `http://localhost:${port}`;
const children = [
  spawn(tsc, ['-b', '--watch', '--preserveWatchOutput'], { cwd: root, stdio: 'inherit' }),
  spawn(process.execPath, [join(root, 'scripts/bundle-node.mjs'), '--watch'], {
    cwd: root,
    stdio: 'inherit',
  }),
  spawn(process.execPath, ['--watch', join(root, 'packages/cloud/dist/main.js')], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PORT: String(cloudPort), PUBLIC_URL: origin },
  }),
  spawn(bin('vite'), ['packages/console', '--port', String(port), '--strictPort'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, FIXPOINT_CLOUD: `http://127.0.0.1:${cloudPort}` },
  }),
];

function stop(code) {
  for (const child of children) child.kill('SIGTERM');
  process.exitCode = code;
}
for (const child of children) child.on('exit', (code) => stop(code ?? 0));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop(0));
