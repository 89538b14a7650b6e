/** Opens the tables of a server for a command of an operator. The server may run. */
import { resolve } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import type { RequestType } from '@fixpoint/protocol/admin';
import { recordAction } from './admin/audit.ts';
import type { CloudConfig } from './config.ts';
import { requireSameSecrets, secretsText } from './secrets.ts';
import { requireWholeRestore } from './start-stores.ts';
import { requireFilled } from './tables/backup/fill-tables.ts';
import type { Connection, Db, Preparation } from './tables/connection.ts';
import { openTables, type Tables } from './tables/open-tables.ts';

/** Stands in audit records for the operator who ran a command. */
const COMMAND = 'command-line';

/**
 * Opens the tables for a command that changes rows.
 * @throws FixpointError CONFIG_INVALID
 */
export const openToChange = (config: CloudConfig): Promise<Tables> => openWhole(config, 'migrate');

/**
 * Runs work on the tables, and closes them afterwards.
 * @throws FixpointError CONFIG_INVALID, and any error of `work`
 */
export async function withTables<T>(config: CloudConfig, work: (db: Db) => Promise<T>): Promise<T> {
  const { db } = await openToChange(config);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/**
 * Opens the tables of an existing server of this version, and creates or migrates nothing. Also
 * returns the text of `secrets.json`.
 * @throws FixpointError CONFIG_INVALID
 */
export async function openExisting(
  config: CloudConfig,
): Promise<{ readonly tables: Tables; readonly secrets: string }> {
  const data = resolve(config.data);
  const secrets = await secretsText(data);
  if (secrets === undefined)
    throw new FixpointError('CONFIG_INVALID', `FIXPOINT_DATA=${data} has no server: secrets.json is missing`);
  const tables = await openWhole(config, 'require');
  try {
    if (tables.kind === 'postgres') await requireSameSecrets(tables.db, JSON.parse(secrets));
    return { tables, secrets };
  } catch (cause) {
    await tables.db.destroy();
    throw cause;
  }
}

async function openWhole(config: CloudConfig, how: Preparation): Promise<Tables> {
  const data = resolve(config.data);
  await requireWholeRestore(data);
  const tables = await openTables(config.databaseUrl, data, () => undefined, how);
  try {
    await requireFilled(tables.db);
    return tables;
  } catch (cause) {
    await tables.db.destroy();
    throw cause;
  }
}

/**
 * Records what a command changed, in the transaction of the change.
 * @param action a request type, so that the records of commands and of the console are alike, or
 * the words of the command
 */
export const recordCommand = (
  tx: Connection,
  action: string,
  tenantId: string,
  detail: object,
): Promise<void> =>
  recordAction(
    { db: tx, caller: { userId: COMMAND }, now: Date.now(), from: undefined },
    action as RequestType,
    { tenantId },
    detail,
  );
