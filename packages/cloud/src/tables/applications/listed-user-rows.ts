/** Lists the users whom applications bring along, for admins of the tenant. */
import type { Expression, ExpressionBuilder } from 'kysely';
import type { Connection } from '../connection.ts';
import type { Schema } from '../schema.ts';
import type { ApplicationUserRow } from './application-tables.ts';

/** `removed` by the application or an admin; `banned` by the operator. */
type OwnUserStatus = 'active' | 'removed' | 'banned';

/** Which users of a tenant to list. */
export interface UserSearch {
  readonly tenantId: string;
  readonly applicationId?: string | undefined;
  /** A part of the subject, the name or the address, or a whole id. */
  readonly search?: string | undefined;
  readonly status?: OwnUserStatus | undefined;
  /** The id of the last user of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface ListedUserRow extends ApplicationUserRow {
  readonly status: OwnUserStatus;
  /** Number of databases that the user may open. */
  readonly rights: number;
}

type Where = ExpressionBuilder<Schema, 'ApplicationUsers' | 'Users'>;

/** Returns users, newest first. */
export async function listApplicationUsers(db: Connection, asked: UserSearch): Promise<ListedUserRow[]> {
  const { tenantId, applicationId, search, status, after, limit } = asked;
  let query = db
    .selectFrom('ApplicationUsers')
    .innerJoin('Users', 'Users.userId', 'ApplicationUsers.userId')
    .selectAll('ApplicationUsers')
    .select('Users.status as userStatus')
    .select(activeRights)
    .where('ApplicationUsers.tenantId', '=', tenantId);
  if (applicationId !== undefined) query = query.where('ApplicationUsers.applicationId', '=', applicationId);
  if (search !== undefined && search !== '') query = query.where((eb) => matches(eb, search));
  if (status !== undefined) query = query.where((eb) => hasStatus(eb, status));
  if (after !== undefined) {
    const last = await placeOf(db, tenantId, after);
    if (last === undefined) return [];
    query = query.where((eb) =>
      eb.or([
        eb('ApplicationUsers.createdAt', '<', last.createdAt),
        eb.and([
          eb('ApplicationUsers.createdAt', '=', last.createdAt),
          eb('ApplicationUsers.userId', '<', last.userId),
        ]),
      ]),
    );
  }
  const rows = await query
    .orderBy('ApplicationUsers.createdAt', 'desc')
    .orderBy('ApplicationUsers.userId', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ userStatus, rights, ...row }) => ({
    ...row,
    status: row.removedAt !== null ? 'removed' : userStatus === 'active' ? 'active' : 'banned',
    rights: Number(rights),
  }));
}

const placeOf = (db: Connection, tenantId: string, userId: string) =>
  db
    .selectFrom('ApplicationUsers')
    .select(['createdAt', 'userId'])
    .where('tenantId', '=', tenantId)
    .where('userId', '=', userId)
    .executeTakeFirst();

/** Selects the number of databases that a user may open, as `rights`. */
export const activeRights = (eb: Where) =>
  eb
    .selectFrom('LedgerUsers')
    .innerJoin('Ledgers', 'Ledgers.ledgerId', 'LedgerUsers.ledgerId')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .whereRef('LedgerUsers.userId', '=', 'ApplicationUsers.userId')
    .where('LedgerUsers.status', '=', 'active')
    .where('Ledgers.status', '=', 'active')
    .as('rights');

function hasStatus(eb: Where, status: OwnUserStatus) {
  if (status === 'removed') return eb('ApplicationUsers.removedAt', 'is not', null);
  const isPresent = eb('ApplicationUsers.removedAt', 'is', null);
  return eb.and([isPresent, eb('Users.status', status === 'active' ? '=' : '!=', 'active')]);
}

/**
 * Returns whether a text is part of a column. Compares with the column without the text, because
 * the databases have no other function in common that takes all signs literally. SQLite folds only
 * ASCII letters, so the text as it was typed counts, too.
 */
function matches(eb: Where, search: string) {
  const columns = ['ApplicationUsers.subject', 'ApplicationUsers.name', 'ApplicationUsers.email'] as const;
  const isIn = (text: Expression<string>, part: string) =>
    eb(eb.fn<string>('replace', [text, eb.val(part), eb.val('')]), '!=', text);
  return eb.or([
    eb('ApplicationUsers.userId', '=', search),
    ...columns.flatMap((column) => [
      isIn(eb.fn<string>('lower', [column]), search.toLowerCase()),
      isIn(eb.ref(column), search),
    ]),
  ]);
}
