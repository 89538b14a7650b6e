import { describe, expect, test } from 'vitest';
import { storesFrom } from './config-stores.ts';

const KEYS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'canary' };
const bucketOf = (text: string, env: Record<string, string> = {}) =>
  storesFrom({ ...KEYS, OBJECT_STORE: text, ...env }).bucket;

describe('storage configuration', () => {
  test('keeps everything in the data folder of one process when nothing is set', () => {
    expect(storesFrom({})).toEqual({ databaseUrl: undefined, bucket: undefined, bus: { kind: 'local' } });
    expect(storesFrom({ OBJECT_STORE: 'disk', HINT_BUS: 'local' }).bucket).toBeUndefined();
  });

  test('connects processes through the database that they share, unless configured otherwise', () => {
    const url = 'postgres://user:pw@host/db';
    expect(storesFrom({ DATABASE_URL: url }).bus).toEqual({ kind: 'postgres', url });
    expect(storesFrom({ DATABASE_URL: url, HINT_BUS: 'local' }).bus).toEqual({ kind: 'local' });
    const urls = ['nats://a:4222', 'tls://b:4222'];
    expect(storesFrom({ DATABASE_URL: url, HINT_BUS: urls.join(', ') }).bus).toEqual({ kind: 'nats', urls });
  });

  test('finds a bucket at its endpoint, or at the endpoint of its region', () => {
    expect(bucketOf('s3://notes?endpoint=http://127.0.0.1:9000')).toEqual({
      url: 'http://127.0.0.1:9000/notes',
      region: 'us-east-1',
      accessKeyId: 'id',
      secretAccessKey: 'canary',
      sessionToken: undefined,
      isDirect: false,
    });
    expect(bucketOf('s3://notes?endpoint=https://e.example&style=host')?.url).toBe('https://notes.e.example');
    expect(bucketOf('s3://notes', { AWS_REGION: 'eu-west-1' })?.url).toBe(
      'https://notes.s3.eu-west-1.amazonaws.com',
    );
    expect(bucketOf('s3://notes?region=x&downloads=direct')).toMatchObject({ region: 'x', isDirect: true });
    expect(bucketOf('s3://notes', { AWS_SESSION_TOKEN: 't' })?.sessionToken).toBe('t');
  });

  test.each([
    { DATABASE_URL: 'mysql://user:canary@host/db' },
    { DATABASE_URL: 'canary' },
    { OBJECT_STORE: 'canary' },
    { OBJECT_STORE: 'https://canary' },
    { OBJECT_STORE: 's3://notes/folder', ...KEYS },
    { OBJECT_STORE: 's3://NOT_A_BUCKET!', ...KEYS },
    { OBJECT_STORE: 's3://notes?colour=red', ...KEYS },
    { OBJECT_STORE: 's3://notes?style=other', ...KEYS },
    { OBJECT_STORE: 's3://notes?endpoint=canary', ...KEYS },
    { OBJECT_STORE: 's3://notes?endpoint=ftp://host', ...KEYS },
    { OBJECT_STORE: 's3://notes' },
    { OBJECT_STORE: 's3://notes', AWS_ACCESS_KEY_ID: 'id' },
    { HINT_BUS: 'postgres' },
    { HINT_BUS: 'redis://user:canary@host' },
    { HINT_BUS: 'nats://a,canary' },
  ])('reports an error in one line without passwords: %j', (env) => {
    const [name = ''] = Object.keys(env);
    expect(() => storesFrom(env)).toThrow(name);
    expect(() => storesFrom(env)).toThrow(/^(?!.*canary).*$/);
  });
});
