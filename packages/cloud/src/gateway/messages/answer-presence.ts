import { FieldError, FixpointError } from '@fixpoint/protocol';
import { PRESENCE_ID, PRESENCE_STATE, PRESENCE_STATE_CHARS_MAX } from '@fixpoint/protocol/storage';
import { pairOf } from '../carriers/carrier.ts';
import type { Handler } from '../gateway-types.ts';
import { requireLedger } from '../require-ledger.ts';

/**
 * Enters or leaves the presence of a ledger, for everyone who may read it. The answer names the
 * user, whom the client seals its states for, and repeats nothing of the request, because there are
 * many of these messages.
 */
export const presence: Handler<'reqPresence'> = async ({ parts, request, claims, carrier }) => {
  const { tenant, ledger } = await requireLedger(parts, claims, request.tenant, 'read');
  const { seat } = carrier;
  if (seat === undefined) throw new FixpointError('NOT_IMPLEMENTED', 'presence over HTTP requests');
  const { id, state: text, before, leave } = request.presence;
  if (!PRESENCE_ID.test(id)) throw new FieldError('presence.id', 'must be 16 to 32 characters of base58');
  if (text !== undefined && text.length > PRESENCE_STATE_CHARS_MAX)
    throw new FieldError('presence.state', `must have at most ${PRESENCE_STATE_CHARS_MAX} characters`);
  if (text !== undefined && !PRESENCE_STATE.test(text))
    throw new FieldError('presence.state', 'must be base64url text');
  const { userId, apiToken } = claims;
  const pair = pairOf(userId, request.conn);
  // The socket or the connection may have closed while the right was looked up.
  if (!seat.isOpen() || !carrier.isOpen(userId, request.conn)) throw new FixpointError('NO_CONNECTION');
  const answer = { type: 'resPresence', tid: request.tid, user: userId };
  if (leave === true) {
    parts.rooms.leave(seat, ledger, pair);
    return { answer };
  }
  const refused = parts.rooms.enter({ seat, userId, apiToken, pair, tenant, ledger, id, text, before });
  return { answer: { ...answer, ...(refused && { refused }) } };
};
