import type { Migration, MigrationProvider } from 'kysely';
import { accounts } from './migrations/0001-accounts.ts';
import { metas } from './migrations/0002-metas.ts';
import { audit } from './migrations/0003-audit.ts';
import { removedLedgers } from './migrations/0004-removed-ledgers.ts';
import { apiTokens } from './migrations/0005-api-tokens.ts';
import { ledgerKinds } from './migrations/0006-ledger-kinds.ts';
import { cloudMarks } from './migrations/0007-cloud-marks.ts';
import { appBindings } from './migrations/0008-app-bindings.ts';
import { usedCodes } from './migrations/0009-used-codes.ts';
import { organizationTenants } from './migrations/0010-organization-tenants.ts';
import { ledgerKeyHashes } from './migrations/0011-ledger-key-hashes.ts';
import { signOuts } from './migrations/0012-sign-outs.ts';
import { endedAccess } from './migrations/0015-ended-access.ts';
import { mailLimits } from './migrations/0016-mail-limits.ts';
import { entryChecks } from './migrations/0017-entry-checks.ts';
import { withdrawnRecords } from './migrations/0019-withdrawn-records.ts';
import { applications } from './migrations/0020-applications.ts';
import { backupLeases } from './migrations/0021-backup-leases.ts';
import { grantsForOrigins } from './migrations/0022-grants-for-origins.ts';
import { logEntries } from './migrations/0023-log-entries.ts';
import { ownUsers } from './migrations/0024-own-users.ts';
import { ownUserSignIns } from './migrations/0026-own-user-sign-ins.ts';
import { operators } from './migrations/0027-operators.ts';
import { usageAndInviteLinks } from './migrations/0029-usage-and-invite-links.ts';
import { sharesOfTenants } from './migrations/0030-shares-of-tenants.ts';
import { ledgerSuccessors } from './migrations/0031-ledger-successors.ts';

/** Migrations run once each, in the order of their names. A released migration never changes. */
const MIGRATIONS: Record<string, Migration> = {
  '0001-accounts': { up: accounts },
  '0002-metas': { up: metas },
  '0003-audit': { up: audit },
  '0004-removed-ledgers': { up: removedLedgers },
  '0005-api-tokens': { up: apiTokens },
  '0006-ledger-kinds': { up: ledgerKinds },
  '0007-cloud-marks': { up: cloudMarks },
  '0008-app-bindings': { up: appBindings },
  '0009-used-codes': { up: usedCodes },
  '0010-organization-tenants': { up: organizationTenants },
  '0011-ledger-key-hashes': { up: ledgerKeyHashes },
  '0012-sign-outs': { up: signOuts },
  '0015-ended-access': { up: endedAccess },
  '0016-mail-limits': { up: mailLimits },
  '0017-entry-checks': { up: entryChecks },
  '0019-withdrawn-records': { up: withdrawnRecords },
  '0020-applications': { up: applications },
  '0021-backup-leases': { up: backupLeases },
  '0022-grants-for-origins': { up: grantsForOrigins },
  '0023-log-entries': { up: logEntries },
  '0024-own-users': { up: ownUsers },
  '0026-own-user-sign-ins': { up: ownUserSignIns },
  '0027-operators': { up: operators },
  '0029-usage-and-invite-links': { up: usageAndInviteLinks },
  '0030-shares-of-tenants': { up: sharesOfTenants },
  '0031-ledger-successors': { up: ledgerSuccessors },
};

/** Names of all migrations, in their order. */
export const migrationNames: readonly string[] = Object.keys(MIGRATIONS);

export const migrations: MigrationProvider = { getMigrations: async () => MIGRATIONS };

/** Name of the row of `CloudMarks` that exists until a restore has inserted all rows. */
export const RESTORE_MARK = 'restore unfinished';

/**
 * Returns the migrations that create the tables for a backup. The last one also inserts the mark,
 * so that no process starts with the tables before they have their rows.
 */
export const migrationsOfRestore = (last: string): MigrationProvider => ({
  getMigrations: async () => ({
    ...MIGRATIONS,
    [last]: {
      up: async (db) => {
        await MIGRATIONS[last]?.up(db);
        await db.insertInto('CloudMarks').values({ name: RESTORE_MARK, value: last }).execute();
      },
    },
  }),
});
