import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../tests/cloud.fixture.ts';
import { createMetrics } from '../observe/metrics.ts';
import { type BackupSecret, keysOf, newSalt } from './backup-keys.ts';
import { folderPlace, MANIFEST, newBackupId, OWNER } from './backup-place.ts';
import { FORMAT, type Manifest, manifestText } from './manifest.ts';
import { scheduleBackups } from './scheduled-backups.ts';

const HOUR_MS = 3_600_000;
const [OWN, FOREIGN] = ['a'.repeat(32), 'b'.repeat(32)];

async function arranged(secret?: BackupSecret) {
  const clock = { ms: Date.UTC(2026, 10, 28) };
  const folder = await temporaryFolder();
  const place = folderPlace(folder);
  const metrics = createMetrics();
  const events: object[] = [];
  const faults: unknown[] = [];
  const failing: { error?: Error } = {};
  /** Changes of the manifests of the next backups. */
  const next: Partial<Manifest> = {};
  const make = async (server = OWN, sealedWith = secret) => {
    if (failing.error !== undefined) throw failing.error;
    const id = newBackupId(clock.ms);
    const at = new Date(clock.ms).toISOString();
    const salt = newSalt();
    const keys = sealedWith && (await keysOf(sealedWith, salt));
    const manifest: Manifest = {
      format: FORMAT,
      id,
      server,
      moment: at,
      finished: new Date(clock.ms + 2000).toISOString(),
      tables: 'sqlite',
      objects: 'folder',
      migration: '0001',
      rows: { Users: 3 },
      objectCount: 1,
      objectBytes: 5,
      missing: 0,
      skipped: 0,
      encryption: keys === undefined ? null : { kind: 'key', salt, check: keys.check },
      parts: [{ name: 'part-000001', bytes: 10, sha256: '0'.repeat(64) }],
      ...next,
    };
    await place.write(id, OWNER, Buffer.from(server));
    await place.write(id, 'part-000001', Buffer.alloc(10));
    await place.write(id, MANIFEST, manifestText(manifest, keys));
    return manifest;
  };
  const used = new Set<string>();
  const schedule = scheduleBackups({
    place,
    usedPlace: { isUsed: async () => used.size > 0, use: async () => void used.add('here') },
    server: OWN,
    secret,
    hours: 6,
    keep: 2,
    make: () => make(),
    metrics,
    now: () => clock.ms,
    note: (event) => void events.push(event),
    report: (error) => void faults.push(error),
  });
  onTestFinished(schedule.stop);
  return { clock, folder, place, metrics, events, faults, failing, next, make, schedule };
}

test('makes a backup as soon as the newest one is too old, and reports it in log and metrics', async () => {
  const { clock, place, metrics, events, schedule } = await arranged();
  await schedule.sweep();
  expect(await place.ids()).toHaveLength(1);
  expect(events).toMatchObject([{ moment: '2026-11-28T00:00:00.000Z', bytes: 10, rows: 3, objects: 1 }]);
  clock.ms += 5 * HOUR_MS;
  await schedule.sweep();
  expect(await place.ids()).toHaveLength(1);
  clock.ms += HOUR_MS;
  await schedule.sweep();
  expect(await place.ids()).toHaveLength(2);
  const text = await metrics.text();
  expect(text).toContain('fixpoint_backups_total{outcome="complete"} 2');
  expect(text).toContain(`fixpoint_backup_moment_seconds ${clock.ms / 1000}`);
  expect(text).toContain('fixpoint_backup_duration_seconds 2');
  expect(text).toContain('fixpoint_backup_bytes 10');
});

test('keeps the newest backups of this server, and removes older ones only after a new one is complete', async () => {
  const { clock, place, faults, failing, make, schedule, metrics } = await arranged();
  const foreign = await make(FOREIGN);
  const first = await make();
  clock.ms += 6 * HOUR_MS;
  const second = await make();
  clock.ms += 6 * HOUR_MS;
  failing.error = new Error('no disk');
  await schedule.sweep();
  expect(faults).toEqual([failing.error]);
  expect(await metrics.text()).toContain('fixpoint_backups_total{outcome="failed"} 1');
  expect(await place.ids()).toEqual([foreign.id, first.id, second.id].sort());
  delete failing.error;
  clock.ms += HOUR_MS;
  await schedule.sweep();
  const left = await place.ids();
  expect(left).toHaveLength(3);
  expect(left).toEqual(expect.arrayContaining([foreign.id, second.id]));
  expect(left).not.toContain(first.id);
});

test('removes what a killed process of this server left, a day later', async () => {
  const { clock, place, schedule } = await arranged();
  const [left, foreign] = [newBackupId(clock.ms), newBackupId(clock.ms)];
  await place.write(left, OWNER, Buffer.from(OWN));
  await place.write(foreign, OWNER, Buffer.from(FOREIGN));
  await place.write(left, 'part-000001', Buffer.from('x'));
  clock.ms += HOUR_MS;
  await schedule.sweep();
  const before = await place.ids();
  expect(before).toContain(left);
  clock.ms += 25 * HOUR_MS;
  await schedule.sweep();
  expect((await place.ids()).slice(0, -1)).toEqual(before.filter((id) => id !== left));
  expect(before).toContain(foreign);
  expect(before).toHaveLength(3);
});

type Arranged = Awaited<ReturnType<typeof arranged>>;

/** Runs the schedule at the time of the next backups. */
async function pass({ clock, schedule }: Arranged, count: number): Promise<void> {
  for (let round = 0; round < count; round += 1) {
    clock.ms += 6 * HOUR_MS;
    await schedule.sweep();
  }
}

describe('the last good backup', () => {
  test('stays while all newer ones lack more objects, and each of those is reported', async () => {
    const all = await arranged();
    const { place, metrics, faults, next } = all;
    await pass(all, 2);
    const [, good = ''] = await place.ids();
    next.missing = 2;
    await pass(all, 3);
    const left = await place.ids();
    expect(left).toHaveLength(3);
    expect(left[0]).toBe(good);
    expect(String(faults[0])).toContain('lacks 2 objects');
    expect(faults.map(String).some((text) => text.includes(`keeps the old backup ${good}`))).toBe(true);
    const text = await metrics.text();
    expect(text).toContain('fixpoint_backups_total{outcome="incomplete"} 3');
    expect(text).toContain('fixpoint_backup_missing_objects 2');
    next.missing = 0;
    await pass(all, 2);
    expect(await place.ids()).toHaveLength(2);
    expect(await metrics.text()).toContain('fixpoint_backup_missing_objects 0');
  });

  test.each<Partial<Manifest>>([{ rows: { Users: 1 } }, { objectCount: 0 }])(
    'stays while all newer ones have less than half of its content: %j',
    async (emptied) => {
      const all = await arranged();
      await pass(all, 2);
      const [, good = ''] = await all.place.ids();
      Object.assign(all.next, emptied);
      await pass(all, 4);
      const left = await all.place.ids();
      expect(left).toHaveLength(3);
      expect(left[0]).toBe(good);
    },
  );

  test("isn't counted among the kept ones if a part of it is gone", async () => {
    const all = await arranged();
    const { folder, place, faults } = all;
    await pass(all, 2);
    const [whole = '', broken = ''] = await place.ids();
    await rm(join(folder, broken, 'part-000001'));
    await pass(all, 1);
    expect(await place.ids()).toContain(whole);
    expect(faults.map(String).some((text) => text.includes(`${broken} lacks parts`))).toBe(true);
    await pass(all, 1);
    expect(await place.ids()).not.toContain(whole);
  });
});

describe('a schedule', () => {
  test('refuses a place that was emptied, until there is any backup again', async () => {
    const all = await arranged();
    const { folder, place, faults, make, clock } = all;
    await pass(all, 2);
    expect(faults).toEqual([]);
    for (const id of await place.ids()) await rm(join(folder, id), { recursive: true });
    await pass(all, 1);
    expect(faults).toMatchObject([{ code: 'CONFIG_INVALID', message: expect.stringContaining('mount') }]);
    expect(await place.ids()).toEqual([]);
    await make(FOREIGN);
    clock.ms += HOUR_MS;
    await pass(all, 1);
    expect(await place.ids()).toHaveLength(2);
    expect(faults).toHaveLength(1);
  });

  test('ignores backups of a time in the future', async () => {
    const all = await arranged();
    const { clock, make, place } = all;
    clock.ms += 1000 * HOUR_MS;
    const ahead = await make();
    clock.ms -= 1000 * HOUR_MS;
    await pass(all, 4);
    const left = await place.ids();
    expect(left).toHaveLength(3);
    expect(left).toContain(ahead.id);
  });

  test('reports that another backup has been running for longer than the interval', async () => {
    const all = await arranged();
    const { clock, failing, faults, schedule } = all;
    failing.error = new FixpointError('CONFLICT', 'another backup is running');
    await schedule.sweep();
    await pass(all, 1);
    expect(faults).toEqual([]);
    clock.ms += HOUR_MS;
    await schedule.sweep();
    expect(faults).toEqual([failing.error]);
  });

  test('waits after each failure twice as long, at most the interval', async () => {
    const { clock, failing, faults, schedule } = await arranged();
    failing.error = new Error('no disk');
    const failedAt: number[] = [];
    for (let minute = 0; minute < 26 * 60; minute += 5) {
      const before = faults.length;
      await schedule.sweep();
      if (faults.length > before) failedAt.push(minute);
      clock.ms += 300_000;
    }
    expect(failedAt).toEqual([0, 10, 30, 70, 150, 310, 630, 990, 1350]);
  });

  test('counts only backups that its key encrypted', async () => {
    const all = await arranged({ kind: 'key', bytes: Buffer.alloc(32, 1) });
    const { clock, make, place, schedule } = all;
    await pass(all, 2);
    const [first = '', second = ''] = await place.ids();
    clock.ms += HOUR_MS;
    const forged = [await make(OWN, { kind: 'key', bytes: Buffer.alloc(32, 2) })];
    clock.ms += 5 * HOUR_MS;
    await schedule.sweep();
    const left = await place.ids();
    expect(left).toHaveLength(3);
    expect(left).toEqual(expect.arrayContaining([second, ...forged.map(({ id }) => id)]));
    expect(left).not.toContain(first);
  });

  test("continues although a manifest can't be read", async () => {
    const all = await arranged();
    const { clock, folder, place, faults } = all;
    const broken = newBackupId(clock.ms);
    await mkdir(join(folder, broken, MANIFEST), { recursive: true });
    await pass(all, 3);
    expect(faults).toEqual([]);
    expect(await place.ids()).toHaveLength(3);
  });
});
