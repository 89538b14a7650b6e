import { FixpointError } from '@fixpoint/protocol';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import {
  type Db,
  migrate,
  type OnStatement,
  type Preparation,
  requireMigrated,
  statementLog,
} from './connection.ts';
import type { Schema } from './schema.ts';

/**
 * Maximum connections of one process. Each query occupies a connection for only a few milliseconds.
 */
const CONNECTIONS_MAX = 10;
const CONNECT_MS = 10_000;
/** Milliseconds after which the server ends an idle transaction. */
const IDLE_MS = 60_000;
/** Id of the lock that lets only one process of a cloud migrate at a time. An arbitrary number. */
const START_LOCK = 7_370_737_001n;

/** Connections of this process to PostgreSQL. */
export interface PoolFigures {
  readonly max: number;
  readonly open: number;
  readonly idle: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
}

interface OpenPostgres {
  readonly db: Db;
  readonly pool: () => PoolFigures;
}

/**
 * Opens the tables on a PostgreSQL server.
 * @param report receives errors of broken connections; the next request opens a new connection
 * @throws FixpointError CONFIG_INVALID, whose text omits the URL, because that may contain a
 * password
 */
export async function openPostgres(
  url: string,
  report: (error: unknown) => void,
  how: Preparation = 'migrate',
  onStatement?: OnStatement,
): Promise<OpenPostgres> {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'fixpoint',
    // A frozen process must not lock rows forever.
    idle_in_transaction_session_timeout: IDLE_MS,
  });
  pool.on('error', report);
  // The pool itself handles errors only of idle connections. Without this listener, a connection
  // that breaks within a transaction would end the process.
  pool.on('connect', (client) => client.on('error', report));
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool }),
    ...(onStatement && { log: statementLog(onStatement) }),
  });
  try {
    await requireDurable(db);
    await (how === 'require' ? requireMigrated(db) : whileAlone(url, () => migrate(db, how)));
    const figures = () => ({
      max: CONNECTIONS_MAX,
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    });
    return { db, pool: figures };
  } catch (cause) {
    await db.destroy();
    if (cause instanceof FixpointError) throw cause;
    throw new FixpointError(
      'CONFIG_INVALID',
      `DATABASE_URL: could not use the server: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/**
 * Requires durable commits. A server that confirms a write before storing it would lose
 * acknowledged data.
 */
async function requireDurable(db: Db): Promise<void> {
  for (const setting of ['fsync', 'synchronous_commit']) {
    const { rows } = await sql<{ value: string }>`select current_setting(${setting}) as value`.execute(db);
    if (rows[0]?.value === 'off')
      throw new FixpointError(
        'CONFIG_INVALID',
        `the PostgreSQL server has ${setting}=off, so a crash can lose stored data: turn it on`,
      );
  }
}

/**
 * Runs work in one process at a time. The lock belongs to a connection, so it is released when the
 * process dies.
 */
export async function whileAlone<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  // Without a listener, an error of this connection would end the process.
  let broken: unknown;
  client.on('error', (error) => {
    broken = error;
  });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [START_LOCK]);
    const done = await work();
    if (broken !== undefined) throw broken;
    return done;
  } finally {
    await client.end();
  }
}

/**
 * Returns whether a database has none of these tables, and no migrations. Tables of extensions and
 * of other programs don't count.
 * @throws FixpointError CONFIG_INVALID
 */
export async function isEmptyDatabase(url: string, names: readonly string[]): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rowCount } = await client.query(
      'select 1 from pg_tables where schemaname = current_schema() and tablename = any($1) limit 1',
      [[...names, 'kysely_migration']],
    );
    return rowCount === 0;
  } catch (cause) {
    const why = (cause as Error).message;
    throw new FixpointError('CONFIG_INVALID', `DATABASE_URL: could not use the server: ${why}`, { cause });
  } finally {
    await client.end().catch(() => undefined);
  }
}
