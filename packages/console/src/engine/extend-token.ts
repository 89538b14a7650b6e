/** Extends tokens at other servers, in the worker: pages call only their own server. */
import { EXTEND_PATH, FixpointError } from '@fixpoint/protocol';

/** The longest token that a server of this product accepts. */
const CHARS_MAX = 32_768;
/** A sync waits for the answer, so it must not wait for long. */
const PATIENCE_MS = 10_000;

/**
 * Returns a token for the same ledger that ends later.
 * @param server address of the pages of the server that issued the token; no other may get it
 * @throws FixpointError NOT_SIGNED_IN if the server doesn't extend the token, FETCH, HTTP
 */
export async function extendToken(
  server: string,
  token: string,
  send: typeof fetch = (...given) => fetch(...given),
): Promise<string> {
  const response = await send(server + EXTEND_PATH, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    credentials: 'omit',
    redirect: 'error',
    body: JSON.stringify({ type: 'reqExtendToken', token }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch((cause: unknown) => {
    throw new FixpointError('FETCH', undefined, { cause });
  });
  if (response.status === 401) throw new FixpointError('NOT_SIGNED_IN');
  const answer: { readonly token?: unknown } = response.ok ? await response.json().catch(() => ({})) : {};
  // A server of an earlier version answers with a page.
  if (typeof answer.token !== 'string' || answer.token.length > CHARS_MAX)
    throw new FixpointError('HTTP', String(response.status));
  return answer.token;
}
