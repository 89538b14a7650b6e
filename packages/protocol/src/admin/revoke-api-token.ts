import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/**
 * Revokes a token of a tenant (for its admins) or one of the caller's own. Fixpoint extension.
 * Connections opened with it close within five seconds.
 */
export const revokeApiToken = exchange({ tokenId: shapes.id }, { tokenId: z.string() });
