/**
 * Opens and closes a connection. A client that reconnects sends both ids, and the server keeps that
 * pair.
 */
import * as v from 'valibot';
import { answered, asked, conn } from './envelope.ts';

export const reqOpen = v.looseObject({
  type: v.literal('reqOpen'),
  ...asked,
  conn: v.looseObject({ reqId: v.string(), resId: v.optional(v.string()) }),
});
export const resOpen = v.looseObject({ type: v.literal('resOpen'), ...answered, conn });

export const reqClose = v.looseObject({ type: v.literal('reqClose'), ...asked, conn });
export const resClose = v.looseObject({ type: v.literal('resClose'), ...answered });
