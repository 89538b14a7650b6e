import * as z from 'zod/mini';

/**
 * A request of the admin API and its answer: `PUT /api` with `{type, auth, ...payload}`, answered
 * by `{type, ...answer}`.
 */
export interface Exchange<Q extends z.core.$ZodLooseShape, A extends z.core.$ZodLooseShape> {
  /** Unknown fields are dropped. */
  readonly payload: z.ZodMiniObject<Q, z.core.$strip>;
  /** Unknown fields are kept, because a newer server may send more. */
  readonly answer: z.ZodMiniObject<A, z.core.$loose>;
}

export function exchange<Q extends z.core.$ZodLooseShape, A extends z.core.$ZodLooseShape>(
  payload: Q,
  answer: A,
): Exchange<Q, A> {
  return { payload: z.object(payload), answer: z.looseObject(answer) };
}
