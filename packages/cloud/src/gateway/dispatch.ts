/** The storage gateway: FP-MSG-1.0 requests, each checked for type, token, shape and connection before its handler sees it. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { REFUSED_REQUESTS, requests, type StorageRequest } from '@fixpoint/protocol/storage';
import type { Carrier } from './carrier.ts';
import type { GatewayParts, Handled, Handler } from './handler.ts';
import { bindGetMeta } from './messages/bind-get-meta.ts';
import { close } from './messages/close.ts';
import { delData } from './messages/del-data.ts';
import { delMeta } from './messages/del-meta.ts';
import { gestalt } from './messages/gestalt.ts';
import { getData } from './messages/get-data.ts';
import { open } from './messages/open.ts';
import { putData } from './messages/put-data.ts';
import { putMeta } from './messages/put-meta.ts';
import { refusalAnswer, refuse } from './refusal.ts';
import { createSignIn, type SignIn } from './sign-in.ts';

const HANDLERS: { readonly [T in StorageRequest['type']]: Handler<T> } = {
  reqGestalt: gestalt,
  reqOpen: open,
  reqClose: close,
  reqPutData: putData,
  reqGetData: getData,
  reqDelData: delData,
  reqPutMeta: putMeta,
  bindGetMeta,
  reqDelMeta: delMeta,
};

/** Answers whatever came; never throws. */
export type Gateway = (body: unknown, carrier: Carrier) => Promise<Handled>;

export function createGateway(parts: GatewayParts): Gateway {
  const signIn = createSignIn(parts.tokens, parts.now);
  return async (body, carrier) => {
    try {
      return await handle(parts, signIn, body, carrier);
    } catch (cause) {
      if (!isFixpointError(cause)) parts.report(cause);
      return { answer: refusalAnswer(body, cause) };
    }
  };
}

async function handle(
  parts: GatewayParts,
  signIn: SignIn,
  body: unknown,
  carrier: Carrier,
): Promise<Handled> {
  const type = typeOf(body);
  const claims = await signIn((body as { auth?: unknown }).auth);
  const isFirst = type === 'reqGestalt' || type === 'reqOpen';
  if (!isFirst && (body as { conn?: unknown }).conn === undefined) throw noConnection();
  const parsed = requests.safeParse(body);
  if (!parsed.success) throw refuse('REQUEST_INVALID', 'unexpected message');
  const request = parsed.data;
  if (request.type !== 'reqGestalt' && request.type !== 'reqOpen') {
    if (!carrier.isOpen(claims.userId, request.conn)) throw noConnection();
  }
  // The table pairs each type with its handler; the schema of the same type was just checked.
  const handler = HANDLERS[request.type] as Handler<StorageRequest['type']>;
  return handler({ parts, request, claims, carrier });
}

function typeOf(body: unknown): StorageRequest['type'] {
  const type = typeof body === 'object' && body !== null ? (body as { type?: unknown }).type : undefined;
  if (REFUSED_REQUESTS.some((refused) => refused === type)) throw new FixpointError('NOT_IMPLEMENTED');
  if (typeof type !== 'string' || !Object.hasOwn(HANDLERS, type))
    throw refuse('REQUEST_INVALID', 'unexpected message');
  return type as StorageRequest['type'];
}

const noConnection = () => refuse('NO_CONNECTION', 'dispatch missing connection');
