import { echoOf } from '../echo.ts';
import type { Handler } from '../handler.ts';

/**
 * Accepts a pair of ids that the client sends as it is: the client uses it to return after a broken
 * link, or a restart of this server.
 */
export const open: Handler<'reqOpen'> = async ({ request, claims, carrier }) => ({
  answer: {
    ...echoOf(request),
    type: 'resOpen',
    conn: carrier.open(claims, request.conn.reqId, request.conn.resId),
  },
});
