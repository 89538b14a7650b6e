import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { onTestFinished } from 'vitest';

/** A PostgreSQL server for tests: `npm run services` says its address. */
export const POSTGRES = process.env['FIXPOINT_TEST_POSTGRES'];
/** The same tests run on both databases; the project that runs them says on which. */
export const testDatabaseKind = process.env['TEST_DATABASE'] === 'postgres' ? 'postgres' : 'sqlite';

const urls = new Map<string, string>();

/** Where a test keeps its tables: undefined for a file of its folder. A folder that was asked for before gets the same database again. */
export async function testDatabaseUrl(folder?: string): Promise<string | undefined> {
  if (testDatabaseKind === 'sqlite') return undefined;
  const known = folder === undefined ? undefined : urls.get(folder);
  if (known !== undefined) return known;
  const url = await newPostgresDatabase();
  if (folder !== undefined) urls.set(folder, url);
  return url;
}

/** An empty database, which goes with the test. */
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

/** Runs one statement on a connection of its own. */
export async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
