/** The tables of the identity library, which has its own migrations. */
import { getMigrations } from 'better-auth/db/migration';
import { optionsOf } from './builtin-options.ts';
import type { BuiltinParts } from './builtin-parts.ts';

/**
 * Creates or changes these tables in one transaction, so that a server that is killed here creates
 * all or none.
 */
export const migrateIdentity = (
  { db, database }: Pick<BuiltinParts, 'db' | 'database'>,
  options: ReturnType<typeof optionsOf>,
): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const within = { ...options, database: { db: tx, type: database } };
    await (await getMigrations(within)).runMigrations();
  });

/** Creates the tables of all ways to sign in, for the rows of a backup. */
export function createIdentityTables(
  parts: Pick<BuiltinParts, 'db' | 'database' | 'secrets'>,
): Promise<void> {
  const nothing = { send: async () => undefined };
  const options = optionsOf({
    ...parts,
    publicUrl: 'http://localhost',
    basePath: '',
    mailer: nothing,
    signUp: 'open',
    secondFactor: 'optional',
    signOutEnds: 'keep',
    sessionDaysMax: 1,
    hasOwnWays: true,
    now: () => Date.now(),
    report: () => undefined,
  });
  return migrateIdentity(parts, options);
}
