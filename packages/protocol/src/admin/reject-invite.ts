import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/** Turns down a pending invite; for whom it names, with a verified address. An addition of ours. */
export const rejectInvite = exchange({ inviteId: shapes.id }, { invite: shapes.invite });
