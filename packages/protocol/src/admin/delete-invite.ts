import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/** Revokes an invite; for admins of its tenant. */
export const deleteInvite = exchange({ inviteId: shapes.id }, { inviteId: z.string() });
