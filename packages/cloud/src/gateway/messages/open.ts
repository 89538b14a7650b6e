import { echoOf } from '../echo.ts';
import type { Handler } from '../handler.ts';

/** A pair that the client brings along is taken over as it is: so it returns after a broken link, or a restart of this server. */
export const open: Handler<'reqOpen'> = async ({ request, claims, carrier }) => ({
  answer: {
    ...echoOf(request),
    type: 'resOpen',
    conn: carrier.open(claims, request.conn.reqId, request.conn.resId),
  },
});
