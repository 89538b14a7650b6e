import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import { CLOUD_TOKEN_SECONDS_MAX } from './hand-off.ts';
import * as shapes from './shapes.ts';

/**
 * Random text that an application generates and keeps secret until it fetches its token: at least
 * 22 characters (128 bits). Existing clients generate `z` and 7 to 9 characters of base58 (48
 * bits); no other short id is accepted.
 */
export const resultId = z
  .string()
  .check(z.regex(/^(?:\S{22,128}|z[1-9A-HJ-NP-Za-km-z]{7,9})$/, 'resultId needs at least 22 characters'));

/**
 * Returns a token for the storage gateway. `selected` must belong to the caller (NOT_FOUND) and
 * narrows the token: a ledger to that ledger, a tenant to the ledgers of that tenant. `opens`
 * states the scope explicitly; `all` is the only way to select a ledger and still open everything.
 *
 * `handOff` and `resultId` are for tokens that another application receives. Such a token always
 * opens one ledger, and can't be extended beyond an hour after the user agreed. Anyone who knows
 * `resultId` can fetch the token once (`reqTokenByResultId`). It is valid for the whole hour,
 * because existing clients can't extend one.
 */
export const cloudSessionToken = exchange(
  {
    selected: z.optional(z.object({ tenant: z.optional(shapes.id), ledger: z.optional(shapes.id) })),
    opens: z.optional(z.enum(['ledger', 'tenant', 'all'])),
    handOff: z.optional(z.boolean()),
    resultId: z.optional(resultId),
    lifeSeconds: z.optional(z.int().check(z.minimum(60), z.maximum(CLOUD_TOKEN_SECONDS_MAX))),
  },
  {
    token: z.string(),
    /** What the token opens. Older servers leave it out. */
    opens: z.optional(z.enum(['ledger', 'tenant', 'all'])),
    expiresDate: z.optional(z.string()),
    /** The time after which `reqExtendToken` fails, when it is already known. */
    extendableUntil: z.optional(z.string()),
  },
);
