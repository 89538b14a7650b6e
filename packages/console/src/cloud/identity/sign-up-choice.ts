/**
 * Keeps the sign-up choices in this tab while the user is on the provider's page, which accepts no
 * metadata. When the user returns, the console applies the choices to a new account, if the user
 * created one.
 */

import type { Clerk } from './load-clerk.ts';
import type { SignUpChoice } from './session-port.ts';

const KEY = 'fixpoint-sign-up';
/**
 * A session that began less than this time after the account was created is the account's first
 * session. Both times come from the provider's clock.
 */
const FIRST_SESSION_MS = 60_000;

export type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * Saves the choice for an account created on the provider's page. `undefined` forgets an earlier
 * choice, for users who sign in or sign up another way.
 */
export function keepChoice(storage: TabStorage, choice: SignUpChoice | undefined): void {
  if (choice === undefined) storage.removeItem(KEY);
  else storage.setItem(KEY, JSON.stringify(choice));
}

/**
 * Applies the kept choice if the returning user's account is new. After a failure, the next page
 * tries again.
 */
export async function giveChoice(storage: TabStorage, { user, session }: Clerk): Promise<void> {
  const kept = storage.getItem(KEY);
  if (kept === null || !user || !session) return;
  const madeAt = user.createdAt?.getTime() ?? 0;
  if (session.createdAt.getTime() - madeAt < FIRST_SESSION_MS)
    await user.update({ unsafeMetadata: { ...user.unsafeMetadata, ...(JSON.parse(kept) as SignUpChoice) } });
  storage.removeItem(KEY);
}

/** Storage of this tab. If the browser allows no storage, nothing is kept. */
export const tabStorage: TabStorage = {
  getItem: (key) => allowed()?.getItem(key) ?? null,
  setItem: (key, value) => allowed()?.setItem(key, value),
  removeItem: (key) => allowed()?.removeItem(key),
};

function allowed(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}
