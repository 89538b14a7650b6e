import { leaveToken } from '../tokens/hand-off.ts';
import { claimsFor } from './cloud-claims.ts';
import type { Handler } from './handler.ts';

/** A token that names what the caller may use now. */
export const cloudSessionToken: Handler<'reqCloudSessionToken'> = {
  requires: 'user:active',
  perMinute: 120,
  run: async ({ db, tokens, now, caller, person, scope }, { selected, resultId }) => {
    const claims = await claimsFor(db, { caller, email: person.email, scope }, selected ?? {});
    const token = await tokens.mint(claims);
    if (resultId !== undefined) await leaveToken(db, resultId, token, now);
    return { token };
  },
};
