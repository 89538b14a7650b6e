/** What somebody chose on the sign-up page before he left for that of the provider, which takes no metadata: it waits in this tab for the account that he may make there. */
import type { SignUpChoice } from '../session.ts';
import type { Clerk } from './load-clerk.ts';

const KEY = 'fixpoint-sign-up';
/** A session that began so soon after its account is the first one; both times are of the provider's clock. */
const FIRST_SESSION_MS = 60_000;

export type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Undefined for who makes no account with it, or by another way: what was chosen before is forgotten. */
export function keepChoice(storage: TabStorage, choice: SignUpChoice | undefined): void {
  if (choice === undefined) storage.removeItem(KEY);
  else storage.setItem(KEY, JSON.stringify(choice));
}

/** Gives what waits to the account of who came back, if it is a new one. What fails is tried again with the next page. */
export async function giveChoice(storage: TabStorage, { user, session }: Clerk): Promise<void> {
  const kept = storage.getItem(KEY);
  if (kept === null || !user || !session) return;
  const madeAt = user.createdAt?.getTime() ?? 0;
  if (session.createdAt.getTime() - madeAt < FIRST_SESSION_MS)
    await user.update({ unsafeMetadata: { ...user.unsafeMetadata, ...(JSON.parse(kept) as SignUpChoice) } });
  storage.removeItem(KEY);
}

/** Of this tab; where the browser allows none, nothing waits. */
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
