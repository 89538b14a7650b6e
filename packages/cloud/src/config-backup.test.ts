import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { backupFrom, backupTarget } from './config-backup.ts';

const KEYS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'canary' };

describe('backup configuration', () => {
  test('makes no backups unless a place is set, and then one a day, of which it keeps seven', () => {
    expect(backupFrom({ BACKUP_HOURS: '1' })).toBeUndefined();
    expect(backupFrom({ BACKUP_TO: './backups' })).toEqual({
      to: { kind: 'folder', path: resolve('backups') },
      hours: 24,
      keep: 7,
      secret: undefined,
    });
    const set = { BACKUP_TO: '/b', BACKUP_HOURS: '6', BACKUP_KEEP: '28', BACKUP_KEY_FILE: '/key' };
    expect(backupFrom(set)).toMatchObject({ hours: 6, keep: 28, secret: { kind: 'key', file: '/key' } });
  });

  test('reads a bucket with a prefix', () => {
    const target = (text: string) => backupTarget(KEYS, '--to', text);
    expect(target('s3://backups/a/b/?endpoint=https://s3.example')).toMatchObject({
      kind: 'bucket',
      prefix: 'a/b',
      bucket: { url: 'https://s3.example/backups' },
    });
    expect(target('s3://backups')).toMatchObject({ prefix: '' });
  });

  test.each([
    { BACKUP_TO: 's3://backups' },
    { BACKUP_TO: 'https://canary', ...KEYS },
    { BACKUP_TO: 's3://backups/a//b?endpoint=https://s3.example', ...KEYS },
    { BACKUP_TO: 's3://backups/a%2fb', ...KEYS },
    { BACKUP_HOURS: '0', BACKUP_TO: '/b' },
    { BACKUP_HOURS: '9000', BACKUP_TO: '/b' },
    { BACKUP_KEEP: '0', BACKUP_TO: '/b' },
    { BACKUP_KEEP: 'x', BACKUP_TO: '/b' },
    { BACKUP_PASSPHRASE: 'canary', BACKUP_TO: '/b' },
    { BACKUP_KEY_FILE: '/key', BACKUP_PASSPHRASE: 'canary canary', BACKUP_TO: '/b' },
  ])('reports an error in one line without passwords: %j', (env) => {
    const [name = ''] = Object.keys(env);
    expect(() => backupFrom(env)).toThrow(name);
    expect(() => backupFrom(env)).toThrow(/^(?!.*canary).*$/);
  });
});
