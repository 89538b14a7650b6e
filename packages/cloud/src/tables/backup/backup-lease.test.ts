import { expect, onTestFinished, test } from 'vitest';
import { tablesOf, temporaryFolder } from '../../../tests/cloud.fixture.ts';
import { testDatabaseKind, testDatabaseUrl } from '../postgres.fixture.ts';
import { isBackupRunning, renewBackupLease, takeBackupLease } from './backup-lease.ts';

async function opened() {
  const folder = await temporaryFolder();
  const { db } = await tablesOf(folder, await testDatabaseUrl(folder));
  onTestFinished(() => db.destroy());
  return db;
}

test('ignores a lease that was taken while the clock was far ahead', async () => {
  const db = await opened();
  const ahead = { name: 'backup', holder: 'ahead', expiresAt: '2126-01-01T00:00:00.000Z' };
  await db.insertInto('BackupLeases').values(ahead).execute();
  const now = Date.now();
  expect(await isBackupRunning(db, now)).toBe(false);
  expect(await renewBackupLease(db, 'ahead', now)).toBe(false);
  expect(await takeBackupLease(db, 'next', now)).toBe(true);
  expect(await isBackupRunning(db, now)).toBe(true);
  expect(await takeBackupLease(db, 'third', now)).toBe(false);
});

test.skipIf(testDatabaseKind === 'sqlite')(
  'uses the clock of PostgreSQL, because clocks of processes differ (skipped on SQLite)',
  async () => {
    const db = await opened();
    const hour = 3_600_000;
    expect(await takeBackupLease(db, 'ahead', Date.now() + hour)).toBe(true);
    expect(await isBackupRunning(db, Date.now() - hour)).toBe(true);
    expect(await takeBackupLease(db, 'second', Date.now() + 2 * hour)).toBe(false);
    expect(await renewBackupLease(db, 'ahead', Date.now() - hour)).toBe(true);
  },
);
