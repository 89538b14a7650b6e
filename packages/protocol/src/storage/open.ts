/** Opening and closing a connection. A client that reconnects brings both ids along, and the server takes the pair over as it is. */
import * as z from 'zod/mini';
import { answered, asked, conn } from './envelope.ts';

export const reqOpen = z.looseObject({
  type: z.literal('reqOpen'),
  ...asked,
  conn: z.looseObject({ reqId: z.string(), resId: z.optional(z.string()) }),
});
export const resOpen = z.looseObject({ type: z.literal('resOpen'), ...answered, conn });

export const reqClose = z.looseObject({ type: z.literal('reqClose'), ...asked, conn });
export const resClose = z.looseObject({ type: z.literal('resClose'), ...answered });
