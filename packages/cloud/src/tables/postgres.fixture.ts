import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { onTestFinished } from 'vitest';

/** URL of a PostgreSQL server for tests: `npm run services` prints it. */
export const POSTGRES = process.env['FIXPOINT_TEST_POSTGRES'];
/** The kind of database in this test project. The same tests run on both kinds. */
export const testDatabaseKind = process.env['TEST_DATABASE'] === 'postgres' ? 'postgres' : 'sqlite';

const urls = new Map<string, string>();

/**
 * Returns the address of a test's database; undefined for a file in its folder. Later calls for the
 * same folder return the same database.
 */
export async function testDatabaseUrl(folder?: string): Promise<string | undefined> {
  if (testDatabaseKind === 'sqlite') return undefined;
  const known = folder === undefined ? undefined : urls.get(folder);
  if (known !== undefined) return known;
  const url = await newPostgresDatabase();
  if (folder !== undefined) urls.set(folder, url);
  return url;
}

/** Creates an empty database, and drops it when the test ends. */
export async function newPostgresDatabase(): Promise<string> {
  if (POSTGRES === undefined) throw new Error('FIXPOINT_TEST_POSTGRES is not set: npm run services -- env');
  const server = POSTGRES;
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(server, `create database ${name}`);
  onTestFinished(() => onServer(server, `drop database if exists ${name} with (force)`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs one statement on its own connection. */
export async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
