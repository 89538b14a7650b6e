/**
 * The storage gateway. Checks type, token, shape and connection of each FP-MSG-1.0 request before
 * its handler runs.
 */
import { setTimeout } from 'node:timers/promises';
import { FieldError, FixpointError, isFixpointError, mustBe } from '@fixpoint/protocol';
import {
  checkRequest,
  REFUSED_REQUESTS,
  requestTypes,
  type StorageRequest,
} from '@fixpoint/protocol/storage';
import { RateLimited } from '../limits/rate-limiter.ts';
import type { Bucket } from '../limits/token-bucket.ts';
import type { Carrier } from './carriers/carrier.ts';
import type { GatewayParts, Handled, Handler } from './gateway-types.ts';
import { HANDLERS } from './messages/message-handlers.ts';
import { refusalAnswer, refuse, unexpectedMessage } from './refusal-answer.ts';
import { createSignIn, type SignIn } from './sign-in.ts';

/** A message that couldn't be parsed. It counts against the rate limits like any other message. */
export class Unreadable {
  readonly cause: unknown;
  constructor(cause: unknown) {
    this.cause = cause;
  }
}

/** Answers any message; never throws. */
export type Gateway = (body: unknown, carrier: Carrier) => Promise<Handled>;

export function createGateway(parts: GatewayParts): Gateway {
  const signIn = createSignIn(parts.tokens, parts.now);
  return async (body, carrier) => {
    const start = parts.now();
    const watch = (outcome: string) =>
      parts.watch.answered(knownType(body), carrier.kind, outcome, (parts.now() - start) / 1000);
    try {
      const handled = await handle(parts, signIn, body, carrier);
      watch('ok');
      return handled;
    } catch (cause) {
      if (!isFixpointError(cause)) parts.report(cause);
      watch(isFixpointError(cause) ? cause.code : 'FAULT');
      return { answer: refusalAnswer(body instanceof Unreadable ? undefined : body, cause) };
    }
  };
}

/** Returns the type if it is known. An invented type must not become a metric label. */
function knownType(body: unknown): string {
  const type = typeof body === 'object' && body !== null ? (body as { type?: unknown }).type : undefined;
  return typeof type === 'string' && Object.hasOwn(HANDLERS, type) ? type : 'unknown';
}

/**
 * Limits the rate of a client. Rejects its messages over HTTP, and delays them on a socket, where
 * existing clients can't handle a refusal.
 */
async function keepPace(bucket: Bucket, who: string, { kind }: Carrier): Promise<void> {
  const wait = bucket.take(who, kind === 'socket');
  if (wait === 0) return;
  if (kind === 'http') throw new RateLimited(wait);
  await setTimeout(wait);
}

/**
 * Rejects messages about presence that exceed their limit, because the next one replaces them. The
 * excess counts as other messages, so that a flood slows down its socket, which is then cut.
 * @throws RateLimited
 */
async function keepPresencePace({ limits }: GatewayParts, userId: string, carrier: Carrier): Promise<void> {
  const wait = limits.presence.take(userId);
  if (wait === 0) return;
  await keepPace(limits.ofUser, userId, carrier);
  throw new RateLimited(wait);
}

async function handle(
  parts: GatewayParts,
  signIn: SignIn,
  body: unknown,
  carrier: Carrier,
): Promise<Handled> {
  await keepPace(parts.limits.ofAddress, carrier.address, carrier);
  if (body instanceof Unreadable) throw body.cause;
  const type = typeOf(body);
  const claims = await signIn((body as { auth?: unknown }).auth);
  if (type === 'reqPresence') await keepPresencePace(parts, claims.userId, carrier);
  else await keepPace(parts.limits.ofUser, claims.userId, carrier);
  const isFirst = type === 'reqGestalt' || type === 'reqOpen';
  if (!isFirst && (body as { conn?: unknown }).conn === undefined) throw noConnection();
  if (type === 'reqOpen' && !saysReqId(body)) throw unexpectedMessage('conn.reqId');
  const request = checkRequest(body);
  if (request.type !== 'reqGestalt' && request.type !== 'reqOpen') {
    if (!carrier.isOpen(claims.userId, request.conn)) throw noConnection();
  }
  // The cast is safe: `HANDLERS` pairs each type with its handler, and the request matches the
  // schema of its type.
  const handler = HANDLERS[request.type] as Handler<StorageRequest['type']>;
  const handled = await handler({ parts, request, claims, carrier });
  if (!OUTSIDE_LEDGERS.includes(request.type)) {
    const { tenant } = request as { readonly tenant?: { readonly tenant: string } | undefined };
    // The handler checked that the caller may use this tenant.
    const tenantId = tenant?.tenant ?? claims.selected.tenant;
    if (tenantId !== undefined) parts.traffic.count(tenantId);
  }
  return handled;
}

/** Requests that belong to no ledger, so they don't count as usage of a tenant. */
const OUTSIDE_LEDGERS: readonly StorageRequest['type'][] = ['reqGestalt', 'reqOpen', 'reqClose'];

function typeOf(body: unknown): StorageRequest['type'] {
  const type = typeof body === 'object' && body !== null ? (body as { type?: unknown }).type : undefined;
  if (REFUSED_REQUESTS.some((refused) => refused === type)) throw new FixpointError('NOT_IMPLEMENTED');
  const known = requestTypes().find((one) => one === type);
  if (known !== undefined) return known;
  if (typeof type === 'string') throw unexpectedMessage('type');
  throw typeof body === 'object' && body !== null && !Array.isArray(body)
    ? new FieldError('type', mustBe('string', type === undefined))
    : new FieldError('', 'must be an object');
}

/** Returns whether an open request has a `reqId`, valid or not. */
function saysReqId(body: unknown): boolean {
  const { conn } = body as { readonly conn?: unknown };
  if (typeof conn !== 'object' || conn === null) return conn !== undefined;
  return (conn as { readonly reqId?: unknown }).reqId !== undefined;
}

const noConnection = () => refuse('NO_CONNECTION', 'dispatch missing connection');
