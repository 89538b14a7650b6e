import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/** Creates the caller's user at their first sign-in. Creates no tenant and accepts no invite. */
export const ensureUser = exchange({}, { user: shapes.user, tenants: z.array(shapes.userTenant) });
