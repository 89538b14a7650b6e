import { FixpointError } from '@fixpoint/protocol';
import type { Ledger } from '@fixpoint/protocol/admin';
import { requireAdmin, requireMember } from '../rights/rights.ts';
import { isDuplicate } from '../tables/database.ts';
import { newId, timestamp } from '../tables/new-row.ts';
import type { Ledgers } from '../tables/schema.ts';
import type { Handler } from './handler.ts';
import { removeLedgers, tenantsOf } from './tenants.ts';

const describe = ({
  ledgerId,
  tenantId,
  ownerId,
  name,
  maxShares,
  createdAt,
  updatedAt,
}: Ledgers): Ledger => ({
  ledgerId,
  tenantId,
  ownerId,
  name,
  maxShares,
  createdAt,
  updatedAt,
});

async function unlessNameTaken<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (isDuplicate(cause)) throw new FixpointError('CONFLICT', 'a database of this name exists', { cause });
    throw cause;
  }
}

export const createLedger: Handler<'reqCreateLedger'> = {
  user: 'known',
  run: async ({ db, caller, now }, { ledger: { tenantId, name } }) => {
    await requireAdmin(db, caller.userId, tenantId);
    const at = timestamp(now);
    const { maxLedgers } = await db
      .updateTable('Tenants')
      .set({ updatedAt: at })
      .where('tenantId', '=', tenantId)
      .returning('maxLedgers')
      .executeTakeFirstOrThrow();
    const { count } = await db
      .selectFrom('Ledgers')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('tenantId', '=', tenantId)
      .executeTakeFirstOrThrow();
    if (Number(count) >= maxLedgers) throw new FixpointError('LIMIT_REACHED', `${maxLedgers} databases`);
    const values = {
      ledgerId: newId(),
      tenantId,
      ownerId: caller.userId,
      name,
      createdAt: at,
      updatedAt: at,
    } as Ledgers;
    const ledger = await unlessNameTaken(
      db.insertInto('Ledgers').values(values).returningAll().executeTakeFirstOrThrow(),
    );
    return { ledger: describe(ledger) };
  },
};

export const updateLedger: Handler<'reqUpdateLedger'> = {
  user: 'known',
  run: async ({ db, caller, now }, { ledger: { tenantId, ledgerId, name } }) => {
    await requireAdmin(db, caller.userId, tenantId);
    const change = db
      .updateTable('Ledgers')
      .set({ name, updatedAt: timestamp(now) })
      .where('ledgerId', '=', ledgerId)
      .where('tenantId', '=', tenantId)
      .returningAll();
    const ledger = await unlessNameTaken(change.executeTakeFirst());
    if (ledger === undefined) throw new FixpointError('NOT_FOUND');
    return { ledger: describe(ledger) };
  },
};

export const deleteLedger: Handler<'reqDeleteLedger'> = {
  user: 'known',
  run: async ({ db, caller }, { ledger: { tenantId, ledgerId } }) => {
    await requireAdmin(db, caller.userId, tenantId);
    const found = await db
      .selectFrom('Ledgers')
      .select('ledgerId')
      .where('ledgerId', '=', ledgerId)
      .where('tenantId', '=', tenantId)
      .executeTakeFirst();
    if (found === undefined) throw new FixpointError('NOT_FOUND');
    await removeLedgers(db, [ledgerId]);
    return { ledgerId };
  },
};

/** The ledgers of the caller's tenants; ids of other tenants give nothing. */
export const listLedgersByUser: Handler<'reqListLedgersByUser'> = {
  user: 'known',
  run: async ({ db, caller }, { tenantIds }) => {
    const mine = (await tenantsOf(db, caller.userId)).map(({ tenantId }) => tenantId);
    const visible = mine.filter((id) => tenantIds === undefined || tenantIds.includes(id));
    if (visible.length === 0) return { userId: caller.userId, ledgers: [] };
    const ledgers = await db
      .selectFrom('Ledgers')
      .selectAll()
      .where('tenantId', 'in', visible)
      .where('status', '=', 'active')
      .orderBy('createdAt')
      .execute();
    return { userId: caller.userId, ledgers: ledgers.map(describe) };
  },
};

/** A token that names what the caller may use now; `selected` must be among it. */
export const cloudSessionToken: Handler<'reqCloudSessionToken'> = {
  user: 'known',
  run: async ({ db, caller, person, tokens, now }, { selected, resultId }) => {
    const tenants = await tenantsOf(db, caller.userId);
    const tenantIds = tenants.map(({ tenantId }) => tenantId);
    const rows =
      tenantIds.length === 0
        ? []
        : await db
            .selectFrom('Ledgers')
            .selectAll()
            .where('tenantId', 'in', tenantIds)
            .orderBy('createdAt')
            .execute();
    const tenant = selected?.tenant ?? tenantIds[0];
    if (tenant !== undefined) await requireMember(db, caller.userId, tenant);
    const ledger = selected?.ledger ?? rows.find((row) => row.tenantId === tenant)?.ledgerId;
    if (ledger !== undefined && !rows.some((row) => row.ledgerId === ledger && row.tenantId === tenant))
      throw new FixpointError('NOT_FOUND');
    const token = await tokens.mint({
      userId: caller.userId,
      email: person.email,
      created: caller.createdAt,
      tenants: tenants.map(({ tenantId, role }) => ({ id: tenantId, role })),
      ledgers: rows.map(({ ledgerId, tenantId }) => ({
        id: ledgerId,
        role: tenants.find((one) => one.tenantId === tenantId)?.role ?? 'member',
        right: 'write',
      })),
      selected: { ...(tenant && { tenant }), ...(ledger && { ledger }) },
    });
    if (resultId !== undefined) await keepForResult(db, resultId, token, now);
    return { token };
  },
};

async function keepForResult(
  db: Parameters<typeof tenantsOf>[0],
  resultId: string,
  token: string,
  now: number,
): Promise<void> {
  await db
    .deleteFrom('TokenByResultId')
    .where('createdAt', '<', timestamp(now - 15 * 60_000))
    .execute();
  await db
    .insertInto('TokenByResultId')
    .values({ resultId, token, createdAt: timestamp(now) })
    .onConflict((conflict) => conflict.column('resultId').doNothing())
    .execute();
}
