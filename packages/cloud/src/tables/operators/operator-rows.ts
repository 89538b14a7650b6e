import type { Connection } from '../connection.ts';

export async function isOperator(db: Connection, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('Operators')
    .select('userId')
    .where('userId', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

export async function hasOperator(db: Connection): Promise<boolean> {
  return (await db.selectFrom('Operators').select('userId').limit(1).executeTakeFirst()) !== undefined;
}

/** Returns whether the user wasn't an operator before. */
export async function addOperator(db: Connection, userId: string, at: string): Promise<boolean> {
  const row = await db
    .insertInto('Operators')
    .values({ userId, createdAt: at })
    .onConflict((conflict) => conflict.column('userId').doNothing())
    .returning('userId')
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns whether the user was an operator. */
export async function removeOperator(db: Connection, userId: string): Promise<boolean> {
  const row = await db
    .deleteFrom('Operators')
    .where('userId', '=', userId)
    .returning('userId')
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns all operators, the first one first, with one of their addresses. */
export async function listOperators(db: Connection) {
  return db
    .selectFrom('Operators')
    .leftJoin('UserByProviders', 'UserByProviders.userId', 'Operators.userId')
    .select(['Operators.userId', 'Operators.createdAt as since'])
    .select(({ fn }) => fn.min('UserByProviders.queryEmail').as('email'))
    .groupBy(['Operators.userId', 'Operators.createdAt'])
    .orderBy('Operators.createdAt')
    .orderBy('Operators.userId')
    .execute();
}

/** Adds a one-time link. Removes links that were created before `oldest`. */
export async function putOperatorLink(
  db: Connection,
  hash: string,
  at: string,
  oldest: string,
): Promise<void> {
  await db.deleteFrom('OperatorLinks').where('createdAt', '<', oldest).execute();
  await db.insertInto('OperatorLinks').values({ hash, createdAt: at }).execute();
}

/**
 * Makes a user the first operator, and ends all links. Returns false, and changes nothing that a
 * valid link needs, if the link is unknown or the server already has an operator.
 *
 * Only one of several parallel callers succeeds, even with different links: each deletes all links,
 * so the others wait until it commits, and then find the operator.
 */
export async function claimFirstOperator(
  tx: Connection,
  claim: { readonly hash: string; readonly userId: string; readonly at: string; readonly oldest: string },
): Promise<boolean> {
  const { hash, userId, at, oldest } = claim;
  const isKnown = await tx
    .selectFrom('OperatorLinks')
    .select('hash')
    .where('hash', '=', hash)
    .where('createdAt', '>=', oldest)
    .executeTakeFirst();
  if (isKnown === undefined) return false;
  const ended = await tx.deleteFrom('OperatorLinks').returning('hash').execute();
  if (!ended.some((link) => link.hash === hash) || (await hasOperator(tx))) return false;
  return addOperator(tx, userId, at);
}
