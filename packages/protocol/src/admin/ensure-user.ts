import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/** Makes the caller known at the first sign-in. Makes no tenant, and accepts no invite. */
export const ensureUser = exchange({}, { user: shapes.user, tenants: z.array(shapes.userTenant) });
