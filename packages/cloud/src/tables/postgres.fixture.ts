import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { openPostgres, whileAlone } from './postgres.ts';

/** URL of a PostgreSQL server for tests: `npm run services` prints it. */
export const POSTGRES = process.env['FIXPOINT_TEST_POSTGRES'];
/** The kind of database in this test project. The same tests run on both kinds. */
export const testDatabaseKind = process.env['TEST_DATABASE'] === 'postgres' ? 'postgres' : 'sqlite';

const urls = new Map<string, string>();

/**
 * Returns the URL of a test's database, or undefined if the database is a file in the folder. Later
 * calls for the same folder return the same database.
 */
export async function testDatabaseUrl(folder?: string): Promise<string | undefined> {
  if (testDatabaseKind === 'sqlite') return undefined;
  const known = folder === undefined ? undefined : urls.get(folder);
  if (known !== undefined) return known;
  migrated ??= migratedTemplate(serverUrl());
  const url = await newPostgresDatabase(await migrated);
  if (folder !== undefined) urls.set(folder, url);
  return url;
}

/**
 * Creates a database, and drops it when the test ends.
 * @param template the database to copy; by default an empty one
 */
export async function newPostgresDatabase(template = 'template0'): Promise<string> {
  const server = serverUrl();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(server, `create database ${name} template ${template} strategy file_copy`);
  onTestFinished(async () => void (await onServer(server, `drop database if exists ${name} with (force)`)));
  return databaseAt(server, name);
}

function serverUrl(): string {
  if (POSTGRES === undefined) throw new Error('FIXPOINT_TEST_POSTGRES is not set: npm run services -- env');
  return POSTGRES;
}

function databaseAt(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

const MIGRATIONS = new URL('./migrations/', import.meta.url);
let migrated: Promise<string> | undefined;

/**
 * Returns the name of a database with all tables and no rows. Tests copy this database, because
 * migrating a database for each test would take most of the time. It remains on the server for
 * later runs with the same migrations.
 */
async function migratedTemplate(server: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of readdirSync(MIGRATIONS).sort()) hash.update(readFileSync(new URL(file, MIGRATIONS)));
  const name = `migrated_${hash.digest('hex').slice(0, 16)}`;
  const draft = `${name}_draft`;
  await whileAlone(server, async () => {
    if (await hasDatabase(server, name)) return;
    await onServer(server, `drop database if exists ${draft}`);
    await onServer(server, `create database ${draft} template template0`);
    await (await openPostgres(databaseAt(server, draft), () => undefined)).db.destroy();
    await onServer(server, `alter database ${draft} rename to ${name}`);
  });
  return name;
}

const hasDatabase = async (server: string, name: string): Promise<boolean> =>
  (await onServer(server, `select 1 from pg_database where datname = '${name}'`)).rowCount === 1;

/** Runs one statement on its own connection. */
export async function onServer(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client.query(statement).finally(() => client.end());
}
