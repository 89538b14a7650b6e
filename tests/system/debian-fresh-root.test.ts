/**
 * Installs the package that contains Node in a new Debian 12, whose own Node is too old. Downloads
 * the packages of that Debian, so only nightly runs include this test.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { debianPackage } from '../../scripts/bundle/debian-package.mjs';
import { bundleServer } from '../../scripts/bundle.mjs';
import { debianProgram } from '../../scripts/debian-programs.mjs';
import { removeFolder } from './product.fixture.ts';
import { folderForBundles, type InstalledReport, withServerBundle } from './server-bundle.fixture.ts';
import { bootRoot, type ThrowawayRoot, whyNoRoot } from './throwaway-root.fixture.ts';

const isQuick = (process.env['FIXPOINT_BUDGET'] ?? 'commit') === 'commit';
const isSkipped = isQuick || whyNoRoot !== undefined;
const bundle = isSkipped ? undefined : withServerBundle();
const folder = folderForBundles();
const NODE = '/usr/lib/fixpoint/node/bin/node';
let root: ThrowawayRoot;

beforeAll(async () => {
  if (isSkipped) return;
  const files = join(folder, 'files');
  mkdirSync(files);
  const withNode = bundleServer({ folder, node: process.execPath });
  renameSync(
    debianPackage({ bundle: withNode, hasNode: true, compression: 'none' }),
    join(files, 'with-node.deb'),
  );
  const alone = debianPackage({ bundle: bundle?.archive ?? '', compression: 'none' });
  renameSync(alone, join(files, 'alone.deb'));
  copyFileSync('tests/system/installed-server.mjs', join(files, 'installed-server.mjs'));
  const mmdebstrap = debianProgram('mmdebstrap', 'usr/bin/mmdebstrap');
  if (mmdebstrap === undefined) throw new Error('mmdebstrap is missing: install it');
  const debian = join(folder, 'debian');
  const include = '--include=systemd,adduser,libstdc++6,ca-certificates';
  execFileSync(mmdebstrap, ['--mode=root', '--variant=minbase', include, 'bookworm', debian], {
    stdio: 'inherit',
  });
  writeFileSync(join(debian, 'etc/hosts'), '127.0.0.1 localhost\n');
  root = await bootRoot(debian, files);
});

afterAll(async () => {
  await root?.end();
  removeFolder(folder);
});

describe.skipIf(isSkipped)('a new Debian 12 (only by night, and with root)', () => {
  test('refuses the package without Node, and says that it needs a newer one', async () => {
    const { code, output } = await root.run('dpkg -i /root/files/alone.deb');
    expect(code).not.toBe(0);
    expect(output).toContain('fixpoint-server depends on nodejs (>= 20.19)');
    await root.must('dpkg -P fixpoint-server');
  });

  test('runs the package that contains Node, without another package', async () => {
    expect((await root.run('command -v node nodejs')).code).not.toBe(0);
    await root.must('dpkg -i /root/files/with-node.deb');
    expect(await root.must('systemctl is-active fixpoint')).toBe('active');
    const script = "fetch('http://127.0.0.1:7370/readyz').then((r) => r.text()).then(console.log, () => {})";
    await expect.poll(async () => (await root.run(`${NODE} -e "${script}"`)).output).toBe('ready');
    const output = await root.must(
      `mkdir /tmp/devices && ${NODE} /root/files/installed-server.mjs /usr/sbin/fixpoint-server \\
        /usr/lib/fixpoint/lib /tmp/devices http://localhost:7370 /var/backups/fixpoint`,
    );
    expect(JSON.parse(output) as InstalledReport).toMatchObject({
      page: 200,
      title: 'Buy milk',
      backup: { status: 0 },
      check: { status: 0 },
      verified: { status: 0 },
    });
    await root.must('FIXPOINT_PURGE_DATA=yes dpkg -P fixpoint-server');
  });
});
