import { serverGestalt } from '@fixpoint/protocol/storage';
import { echoOf } from '../echo.ts';
import type { Handler } from '../handler.ts';

/** Answers with the capabilities of this server. */
export const gestalt: Handler<'reqGestalt'> = async ({ parts, request, carrier }) => ({
  answer: {
    ...echoOf(request),
    type: 'resGestalt',
    gestalt: serverGestalt(parts.endpoints, carrier.capabilities),
  },
});
