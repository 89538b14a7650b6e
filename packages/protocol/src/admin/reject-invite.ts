import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/** Rejects a pending invite; for its invitee, whose email must be verified. Fixpoint extension. */
export const rejectInvite = exchange({ inviteId: shapes.id }, { invite: shapes.invite });
