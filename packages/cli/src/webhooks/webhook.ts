/** Addresses and signatures of webhooks, as in the specification Standard Webhooks. */
import { createHash, createHmac } from 'node:crypto';
import { FixpointError, urlOf } from '@fixpoint/protocol';

export interface Webhook {
  /** Identifies the webhook in files and messages. Reveals nothing of the address. */
  readonly id: string;
  /** The address, without user and password. */
  readonly url: string;
  /** The header with the user and password of the address; undefined without any. */
  readonly authorization: string | undefined;
  /** Names the webhook in messages. Contains neither password, path nor query. */
  readonly label: string;
}

/**
 * Parses addresses. Equal addresses result in one webhook.
 * @param secret makes the ids, so that nobody can guess an address from its id
 * @throws FixpointError CONFIG_INVALID
 */
export function webhooksOf(addresses: readonly string[], secret: string): readonly Webhook[] {
  const byId = new Map(addresses.map((address) => webhookOf(address, secret)).map((one) => [one.id, one]));
  return [...byId.values()];
}

function webhookOf(address: string, secret: string): Webhook {
  const url = urlOf(address);
  // The address may contain a password, so the error doesn't repeat it.
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new FixpointError('CONFIG_INVALID', 'a webhook is not an http or https address');
  url.hash = '';
  const id = createHmac('sha256', secret).update(url.href).digest('hex').slice(0, 16);
  const { username, password } = url;
  const label = `${url.protocol}//${url.host} (${id.slice(0, 6)})`;
  if (username === '' && password === '') return { id, url: url.href, authorization: undefined, label };
  url.username = '';
  url.password = '';
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { id, url: url.href, authorization: `Basic ${Buffer.from(pair).toString('base64')}`, label };
}

/**
 * Returns the id of a delivery. A repeated delivery of the same changes has the same id, also after
 * a restart.
 */
export const deliveryId = (webhook: string, body: string): string =>
  `msg_${createHash('sha256').update(`${webhook}\n${body}`).digest('hex').slice(0, 32)}`;

const SECRET_PREFIX = 'whsec_';

/**
 * Returns the header of a signature: HMAC-SHA256 over `id.timestamp.body`.
 * @param secret `whsec_` and a key in base64, or any other text, whose bytes are the key
 * @param timestamp seconds since 1970
 */
export function signatureOf(secret: string, id: string, timestamp: number, body: string): string {
  const key = secret.startsWith(SECRET_PREFIX)
    ? Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
    : Buffer.from(secret);
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
