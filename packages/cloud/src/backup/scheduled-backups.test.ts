import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../tests/cloud.fixture.ts';
import { createMetrics } from '../observe/metrics.ts';
import { folderPlace, MANIFEST, newBackupId } from './backup-place.ts';
import { FORMAT, type Manifest, manifestText } from './manifest.ts';
import { scheduleBackups } from './scheduled-backups.ts';

const HOUR_MS = 3_600_000;
const [OWN, FOREIGN] = ['a'.repeat(32), 'b'.repeat(32)];

async function arranged() {
  const clock = { ms: Date.UTC(2026, 10, 28) };
  const place = folderPlace(await temporaryFolder());
  const metrics = createMetrics();
  const events: object[] = [];
  const faults: unknown[] = [];
  const failing: { error?: Error } = {};
  const make = async (server = OWN) => {
    if (failing.error !== undefined) throw failing.error;
    const id = newBackupId(clock.ms);
    const at = new Date(clock.ms).toISOString();
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
      encryption: null,
      parts: [{ name: 'part-000001', bytes: 10, sha256: '0'.repeat(64) }],
    };
    await place.write(id, MANIFEST, manifestText(manifest, undefined));
    return manifest;
  };
  const schedule = scheduleBackups({
    place,
    server: OWN,
    hours: 6,
    keep: 2,
    make: () => make(),
    metrics,
    now: () => clock.ms,
    note: (event) => void events.push(event),
    report: (error) => void faults.push(error),
  });
  onTestFinished(schedule.stop);
  return { clock, place, metrics, events, faults, failing, make, schedule };
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
  await schedule.sweep();
  const left = await place.ids();
  expect(left).toHaveLength(3);
  expect(left).toEqual(expect.arrayContaining([foreign.id, second.id]));
  expect(left).not.toContain(first.id);
});

test('removes what a killed process left, a day later', async () => {
  const { clock, place, schedule } = await arranged();
  const left = newBackupId(clock.ms);
  await place.write(left, 'part-000001', Buffer.from('x'));
  clock.ms += HOUR_MS;
  await schedule.sweep();
  expect(await place.ids()).toContain(left);
  clock.ms += 25 * HOUR_MS;
  await schedule.sweep();
  expect(await place.ids()).not.toContain(left);
});
