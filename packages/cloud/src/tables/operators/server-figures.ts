import { WAITING } from '../accounts/user-rows.ts';
import type { Connection } from '../connection.ts';

/** Counts of the whole server. */
export interface ServerFigures {
  readonly tenants: number;
  readonly people: number;
  readonly waiting: number;
  readonly ledgers: number;
  readonly bytes: number;
}

export async function readServerFigures(db: Connection): Promise<ServerFigures> {
  const count = async (table: 'Tenants' | 'Ledgers') => {
    const row = await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(row.count);
  };
  const people = await db
    .selectFrom('UserByProviders')
    .select(({ fn }) => fn.count<number>('userId').distinct().as('count'))
    .executeTakeFirstOrThrow();
  const waiting = await db
    .selectFrom('Users')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('status', '=', 'inactive')
    .where('statusReason', '=', WAITING)
    .executeTakeFirstOrThrow();
  const storage = await db
    .selectFrom('TenantStorage')
    .select(({ fn }) => fn.sum<number>('bytes').as('bytes'))
    .executeTakeFirstOrThrow();
  return {
    tenants: await count('Tenants'),
    people: Number(people.count),
    waiting: Number(waiting.count),
    ledgers: await count('Ledgers'),
    bytes: Number(storage.bytes ?? 0),
  };
}
