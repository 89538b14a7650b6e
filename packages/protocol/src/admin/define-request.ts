/**
 * Defines a request of the admin API: `PUT /api` with `{type, auth, ...payload}`, answered by
 * `{type, ...answer}`. The typed client, the server's checks, the audit log, `/openapi.json` and
 * docs/access.md derive from the definition.
 */
import * as v from 'valibot';
import { fields } from './field-schemas.ts';
import type { TokenRight } from './shapes.ts';

/** A right that the server checks before it runs the request. */
export type AdminAction =
  | 'tenant:read'
  | 'tenant:update'
  | 'tenant:delete'
  | 'tenant:transfer'
  | 'members:manage'
  | 'audit:read'
  | 'tokens:manage'
  | 'applications:manage'
  | 'invites:manage'
  | 'ledger:create'
  | 'ledger:update'
  | 'ledger:delete'
  | 'ledger:move'
  | 'ledger:share';

/**
 * The caller that a request needs. `nobody`: anyone, without `auth`; `person`: anyone whom a
 * sign-in provider identifies; `user:active`: an active user; `operator`: an active user who
 * operates this server; an action: an active user with that right.
 */
export type Requirement = 'nobody' | 'person' | 'user:active' | 'operator' | AdminAction;

export interface AdminRequest<
  Q extends v.ObjectEntries,
  A extends v.ObjectEntries,
  R extends Requirement,
  G extends readonly unknown[],
  V,
> {
  /** A label of a few words, the title in `/openapi.json`. */
  readonly summary: string;
  /** The effect of the request, in a sentence or two. */
  readonly description: string;
  readonly requires: R;
  /** A check that the handler itself makes, in addition to `requires`. docs/access.md lists it. */
  readonly handlerChecks?: 'self' | 'member' | 'tenant admin';
  /**
   * The lowest right of an API token that may send the request; `device`: only a token that isn't
   * bound to a tenant; `never`: only a person who signed in.
   */
  readonly token: Exclude<TokenRight, 'users'> | 'device' | 'never';
  /** Whether a token with the right `users` may send the request, too. */
  readonly forUsers?: true;
  /**
   * Text of the audit log that follows the name of the user; false if the log omits the request.
   */
  readonly audited: string | false;
  /** Unknown fields are dropped. */
  readonly payload: v.ObjectSchema<Q, undefined>;
  /** Unknown fields are kept, because a newer server may send more. */
  readonly answer: v.LooseObjectSchema<A, undefined>;
  /** Returns the payload for the arguments of the client's method. */
  readonly ask: (...given: G) => v.InferInput<v.ObjectSchema<Q, undefined>>;
  /** Returns the value to which the client's method resolves. */
  readonly take: (answer: v.InferOutput<v.LooseObjectSchema<A, undefined>>) => V;
}

type Facts<Q extends v.ObjectEntries, A extends v.ObjectEntries, R extends Requirement> = Pick<
  AdminRequest<Q, A, R, [], unknown>,
  'summary' | 'description' | 'requires' | 'handlerChecks' | 'token' | 'forUsers' | 'audited'
>;

/**
 * Defines a request. Without `ask`, the client's method takes the payload; without `take`, the
 * method returns the whole answer.
 */
export function defineRequest<
  const R extends Requirement,
  Q extends v.ObjectEntries,
  A extends v.ObjectEntries,
  G extends readonly unknown[] = [payload: v.InferInput<v.ObjectSchema<Q, undefined>>],
  V = v.InferOutput<v.LooseObjectSchema<A, undefined>>,
>({
  payload,
  answer,
  ask = (...[given]: readonly unknown[]) => given as v.InferInput<v.ObjectSchema<Q, undefined>>,
  take = (whole) => whole as V,
  ...facts
}: Facts<Q, A, R> & {
  readonly payload: Q;
  readonly answer: A;
  readonly ask?: (...given: G) => NoInfer<v.InferInput<v.ObjectSchema<Q, undefined>>>;
  readonly take?: (answer: NoInfer<v.InferOutput<v.LooseObjectSchema<A, undefined>>>) => V;
}): AdminRequest<Q, A, R, G, V> {
  return { ...facts, payload: fields(payload), answer: v.looseObject(answer), ask, take };
}
