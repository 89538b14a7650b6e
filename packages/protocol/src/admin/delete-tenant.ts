import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/** Deletes a tenant with its ledgers, members and invites; for its admins. */
export const deleteTenant = exchange({ tenantId: shapes.id }, { tenantId: z.string() });
