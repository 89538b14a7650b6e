import type { Answer, CleanPayload, RequestType } from '@fixpoint/protocol/admin';
import type { Person } from '../identity/identity.ts';
import type { Guesses } from '../limits/guesses.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { Action, Target } from '../rights/authorize.ts';
import type { Connection } from '../tables/database.ts';
import type { User } from '../tables/schema.ts';
import type { CloudTokens } from '../tokens/cloud-tokens.ts';
import type { Scope } from './scope.ts';

export interface Context {
  /** The transaction of this request: everything it does is done, or nothing. */
  readonly db: Connection;
  readonly tokens: CloudTokens;
  readonly now: number;
  /** The address from which the request came. */
  readonly from: string | undefined;
  /** Counts the secrets that somebody tries who isn't signed in. */
  readonly guesses: Guesses;
  /** What becomes of people who were never here. */
  readonly signUp: 'open' | 'waitlist' | 'closed';
  readonly mailer: Mailer;
  /** Address of the console's first page, for links in mails. */
  readonly consoleUrl: string;
  /** Work for when what the request did is durable: a mail, say. The answer does not wait for it. */
  afterwards(work: () => Promise<unknown>): void;
}

export interface PersonContext extends Context {
  readonly person: Person;
  /** Undefined for somebody who signed in himself. */
  readonly scope: Scope | undefined;
}

export interface UserContext extends PersonContext {
  /** The caller, who is active. */
  readonly caller: User;
}

/**
 * One request type. A handler without a rule about who may call it does not compile: `nobody` needs no token, `person` a valid one, `user:active` an active user
 * (then the handler itself looks only at what belongs to the caller); an action is authorized for its target before the handler runs.
 */
export type HandlerOf<P, A> = {
  /** How often one person, or one address where nobody is signed in, may ask this in a minute. */
  readonly perMinute?: number;
  /** Whether the caller must have signed in, or confirmed that it's them, in the last 15 minutes. */
  confirms?(payload: P): boolean;
} & (
  | { readonly requires: 'nobody'; run(context: Context, payload: P): Promise<A> }
  | { readonly requires: 'person'; run(context: PersonContext, payload: P): Promise<A> }
  | { readonly requires: 'user:active'; run(context: UserContext, payload: P): Promise<A> }
  | {
      readonly requires: Action;
      /** Undefined for what is not there. */
      target(payload: P, db: Connection): Target | Promise<Target | undefined>;
      run(context: UserContext, payload: P): Promise<A>;
    }
);

export type Handler<T extends RequestType> = HandlerOf<CleanPayload<T>, Answer<T>>;
