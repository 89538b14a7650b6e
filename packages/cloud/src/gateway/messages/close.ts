import { echoOf } from '../echo.ts';
import type { Handler } from '../handler.ts';

export const close: Handler<'reqClose'> = async ({ request, claims, carrier }) => {
  const { reqId, resId } = request.conn;
  carrier.close(claims.userId, { reqId, resId });
  return { answer: { ...echoOf(request), type: 'resClose', conn: { reqId, resId } } };
};
