import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import { type Database, type DatabaseOptions, fixpoint } from 'fixpoint';
import { type Call, type Option, required } from './command.ts';

export const DIRECTORY_OPTIONS: Readonly<Record<string, Option>> = {
  directory: {
    type: 'string',
    value: 'FOLDER',
    help: 'folder of the databases; default: $FIXPOINT_DIR or .fixpoint/databases',
  },
};

export const directoryOf = ({ io, text }: Call): string =>
  resolve(text('directory') ?? (io.env['FIXPOINT_DIR'] || '.fixpoint/databases'));

/**
 * Opens the database whose name is the first argument, runs `work`, then closes the database.
 * @throws FixpointError NOT_FOUND when the folder is missing or the database is empty, unless
 * `isNew` is set
 */
export async function withDatabase<T>(
  call: Call,
  isNew: boolean,
  work: (db: Database) => Promise<T>,
  options: Pick<DatabaseOptions, 'indexes'> = {},
): Promise<T> {
  const name = required(call.args[0], 'the name of a database');
  const directory = directoryOf(call);
  if (!isNew && !existsSync(directory))
    throw new FixpointError(
      'NOT_FOUND',
      `there is no folder ${directory}: pass the folder of the databases with --directory`,
    );
  const db = fixpoint(name, { ...options, directory });
  try {
    const head = await db.head();
    if (!isNew && head.length === 0)
      throw new FixpointError('NOT_FOUND', `there is no database ${name} in ${directory}, or it is empty`);
    return await work(db);
  } finally {
    await db.close();
  }
}
