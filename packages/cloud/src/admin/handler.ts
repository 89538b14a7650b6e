import type { Answer, CleanPayload, RequestType } from '@fixpoint/protocol/admin';
import type { Person } from '../identity/identity.ts';
import type { Guesses } from '../limits/guesses.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { Action, Target } from '../rights/authorize.ts';
import type { Connection } from '../tables/connection.ts';
import type { User } from '../tables/schema.ts';
import type { CloudTokens } from '../tokens/cloud-tokens.ts';
import type { Scope } from './scope.ts';

export interface Context {
  /** The transaction of this request: all of its writes are committed, or none. */
  readonly db: Connection;
  readonly tokens: CloudTokens;
  readonly now: number;
  /** The address that the request came from. */
  readonly from: string | undefined;
  /** Counts the secrets tried by callers who aren't signed in. */
  readonly guesses: Guesses;
  /** What happens to people without an account. */
  readonly signUp: 'open' | 'waitlist' | 'closed';
  readonly mailer: Mailer;
  /** URL of the console's first page, for links in mails. */
  readonly consoleUrl: string;
  /**
   * Runs work, such as sending a mail, once the request's changes are durable. The answer doesn't
   * wait for it.
   */
  afterwards(work: () => Promise<unknown>): void;
}

export interface PersonContext extends Context {
  readonly person: Person;
  /** Undefined for a person who signed in. */
  readonly scope: Scope | undefined;
}

export interface UserContext extends PersonContext {
  /** The user who sends the request; their status is active. */
  readonly caller: User;
}

/**
 * Handles one request type. A handler without a rule about who may call it doesn't compile:
 * `nobody` needs no token, `person` a valid one, `user:active` an active user (then the handler
 * itself reads only what belongs to the caller); an action is authorized for its target before the
 * handler runs.
 */
export type HandlerOf<P, A> = {
  /**
   * How often per minute one person may send this request, or one address where nobody is signed
   * in.
   */
  readonly perMinute?: number;
  /**
   * Returns whether the caller must have signed in, or confirmed that it's them, in the last 15
   * minutes.
   */
  confirms?(payload: P): boolean;
} & (
  | { readonly requires: 'nobody'; run(context: Context, payload: P): Promise<A> }
  | { readonly requires: 'person'; run(context: PersonContext, payload: P): Promise<A> }
  | { readonly requires: 'user:active'; run(context: UserContext, payload: P): Promise<A> }
  | {
      readonly requires: Action;
      /** Returns undefined for a target that doesn't exist. */
      target(payload: P, db: Connection): Target | Promise<Target | undefined>;
      run(context: UserContext, payload: P): Promise<A>;
    }
);

export type Handler<T extends RequestType> = HandlerOf<CleanPayload<T>, Answer<T>>;
