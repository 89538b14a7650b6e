import type { Answer, CleanPayload, RequestType } from '@fixpoint/protocol/admin';
import type { Person } from '../identity/identity.ts';
import type { Connection } from '../tables/database.ts';
import type { Users } from '../tables/schema.ts';
import type { CloudTokens } from '../tokens/cloud-tokens.ts';

export interface Context {
  /** The transaction of this request: everything it does is done, or nothing. */
  readonly db: Connection;
  readonly person: Person;
  readonly tokens: CloudTokens;
  readonly now: number;
}

export interface UserContext extends Context {
  /** The caller, who is active. */
  readonly caller: Users;
}

/** One request type. `user: 'known'` runs for active users alone; `'new'` also for somebody who signs in for the first time. */
export type Handler<T extends RequestType> =
  | { readonly user: 'known'; run(context: UserContext, payload: CleanPayload<T>): Promise<Answer<T>> }
  | { readonly user: 'new'; run(context: Context, payload: CleanPayload<T>): Promise<Answer<T>> };
