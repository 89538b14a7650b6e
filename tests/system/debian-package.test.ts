import { copyFileSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { debianPackage } from '../../scripts/bundle/debian-package.mjs';
import { removeFolder } from './product.fixture.ts';
import { folderForBundles, type InstalledReport, withServerBundle } from './server-bundle.fixture.ts';
import { bootRoot, type ThrowawayRoot, whyNoRoot } from './throwaway-root.fixture.ts';

/** Only longer runs boot a system for the package. All runs install the bundle that it contains. */
const isQuick = (process.env['FIXPOINT_BUDGET'] ?? 'commit') === 'commit';
const isSkipped = isQuick || whyNoRoot !== undefined;
const bundle = isSkipped ? undefined : withServerBundle();
const folder = folderForBundles();
const files = join(folder, 'files');
let root: ThrowawayRoot;

beforeAll(async () => {
  if (isSkipped) return;
  mkdirSync(files);
  for (const version of ['0.1.0', '0.2.0']) {
    const built = debianPackage({ bundle: bundle?.archive ?? '', version, compression: 'none' });
    renameSync(built, join(files, `${version}.deb`));
  }
  copyFileSync('tests/system/installed-server.mjs', join(files, 'installed-server.mjs'));
  root = await bootRoot('/', files);
});

afterAll(async () => {
  await root?.end();
  removeFolder(folder);
});

const SERVICE = 'fixpoint.service';
const isActive = async () => (await root.run(`systemctl is-active ${SERVICE}`)).output;
/** Waits until the server answers, and returns what it answers. */
const ready = (port: number) => {
  const script = `fetch('http://127.0.0.1:${port}/readyz').then((r) => r.text()).then(console.log, () => {})`;
  return expect.poll(async () => (await root.run(`node -e "${script}"`)).output).toBe('ready');
};

describe.skipIf(isSkipped)(
  'the Debian package (only by night, and with root, overlay mounts and systemd)',
  () => {
    test('starts a hardened service that serves, syncs and backs up', async () => {
      await root.must('dpkg --force-unsafe-io -i /root/files/0.1.0.deb');
      expect(await isActive()).toBe('active');
      expect(await root.must(`systemctl is-enabled ${SERVICE}`)).toBe('enabled');
      await ready(7370);
      const output = await root.must(
        `mkdir /tmp/devices && node /root/files/installed-server.mjs /usr/sbin/fixpoint-server \\
        /usr/lib/fixpoint/lib /tmp/devices http://localhost:7370 /var/backups/fixpoint`,
      );
      expect(JSON.parse(output) as InstalledReport).toMatchObject({
        page: 200,
        isConsole: true,
        title: 'Buy milk',
        backup: { status: 0 },
        check: { status: 0, last: expect.stringContaining('1 objects match') },
        verified: { status: 0 },
      });
      expect(await root.must('fixpoint-server users')).toContain('ada@example.com');
      expect(await root.must('runuser -u nobody -- fixpoint --help')).toContain('fixpoint serve');
    });

    test('runs as a user without rights, who can write only to its own folders', async () => {
      const pid = await root.must(`systemctl show -P MainPID ${SERVICE}`);
      const status = await root.must(`cat /proc/${pid}/status`);
      const user = await root.must('id -u fixpoint');
      expect(user).not.toBe('0');
      expect(status).toMatch(new RegExp(`^Uid:\\s+${user}\\s`, 'm'));
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
      expect(status).toMatch(/^Seccomp:\s+2$/m);
      for (const set of ['CapEff', 'CapPrm', 'CapBnd', 'CapAmb'])
        expect(status).toMatch(new RegExp(`^${set}:\\s+0{16}$`, 'm'));
      const modes = 'stat -c "%a %U %G %n"';
      expect(
        await root.must(`${modes} /var/lib/fixpoint /var/backups/fixpoint /etc/fixpoint/fixpoint.env`),
      ).toBe(
        [
          '700 fixpoint fixpoint /var/lib/fixpoint',
          '700 fixpoint fixpoint /var/backups/fixpoint',
          '640 root fixpoint /etc/fixpoint/fixpoint.env',
        ].join('\n'),
      );
      expect(await root.must('find /var/lib/fixpoint /var/backups/fixpoint -perm /077 ! -type l')).toBe('');
      const inService = (script: string) => root.run(`nsenter -t ${pid} --mount -- ${script}`);
      expect((await inService('touch /usr/lib/fixpoint/x')).output).toContain('Read-only file system');
      expect((await inService('touch /var/lib/fixpoint/x')).code).toBe(0);
    });

    test('has an exposure of at most 3 in systemd-analyze security', async () => {
      const output = await root.must(`systemd-analyze security --no-pager ${SERVICE}`);
      const [, exposure = ''] = /Overall exposure level for fixpoint\.service: ([\d.]+)/.exec(output) ?? [];
      expect(Number(exposure)).toBeGreaterThan(0);
      expect(Number(exposure)).toBeLessThanOrEqual(3);
      expect(await root.must(`systemd-analyze verify /usr/lib/systemd/system/${SERVICE}`)).toBe('');
    });

    test('keeps settings and data in an upgrade, and runs the new version', async () => {
      await root.must(
        'echo PORT=7371 >> /etc/fixpoint/fixpoint.env && chmod 0600 /etc/fixpoint/fixpoint.env',
      );
      await root.must('chgrp fixpoint /etc/fixpoint/fixpoint.env && chmod 0640 /etc/fixpoint/fixpoint.env');
      const before = await root.must(`systemctl show -P MainPID ${SERVICE}`);
      await root.must('dpkg --force-unsafe-io -i /root/files/0.2.0.deb');
      expect(await isActive()).toBe('active');
      expect(await root.must(`systemctl show -P MainPID ${SERVICE}`)).not.toBe(before);
      await ready(7371);
      expect(await root.must('stat -c "%a %U %G" /etc/fixpoint/fixpoint.env')).toBe('640 root fixpoint');
      expect(await root.must('fixpoint-server users')).toContain('ada@example.com');
      expect(await root.must('dpkg -s fixpoint-server')).toContain('Version: 0.2.0');
    });

    test('stops the service when it is removed, and keeps the data when it is purged', async () => {
      await root.must('dpkg -r fixpoint-server');
      expect(await isActive()).toBe('inactive');
      expect((await root.run('ls /usr/lib/fixpoint')).code).not.toBe(0);
      await root.must('test -e /etc/fixpoint/fixpoint.env');
      expect(await root.must('dpkg -P fixpoint-server')).toContain('stays in /var/lib/fixpoint');
      await root.must('test ! -e /etc/fixpoint && test -e /var/lib/fixpoint/secrets.json');
      expect(await root.must('ls /etc/systemd/system/multi-user.target.wants')).not.toContain('fixpoint');
    });

    test('finds the data after a purge, restores a backup as in the guide, and removes all when asked (by night)', async () => {
      await root.must('apt-get install -y /root/files/0.2.0.deb');
      await ready(7370);
      expect(await root.must('fixpoint-server users')).toContain('ada@example.com');
      await root.must('systemctl stop fixpoint && mv /var/lib/fixpoint /var/lib/fixpoint.before');
      await root.must('install -d -o fixpoint -g fixpoint -m 0700 /var/lib/fixpoint');
      await root.must('fixpoint-server restore --from /var/backups/fixpoint');
      await root.must('systemctl start fixpoint');
      await ready(7370);
      expect(await root.must('fixpoint-server users')).toContain('ada@example.com');
      await root.must('rm -r /var/lib/fixpoint.before');
      await root.must('env FIXPOINT_PURGE_DATA=yes apt-get purge -y fixpoint-server');
      await root.must(
        'test ! -e /var/lib/fixpoint && test ! -e /var/backups/fixpoint && ! getent passwd fixpoint',
      );
      const left = "find /etc /usr/bin /usr/sbin /usr/lib/systemd /usr/share/doc /var/lib -name '*fixpoint*'";
      expect(await root.must(left)).toBe('');
    });
  },
);
