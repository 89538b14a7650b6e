import * as z from 'zod/mini';
import { exchange } from './exchange.ts';
import * as shapes from './shapes.ts';

/** Makes the caller known at the first sign-in, and redeems the invites that wait for him. Makes no tenant. */
export const ensureUser = exchange({}, { user: shapes.user, tenants: z.array(shapes.userTenant) });
