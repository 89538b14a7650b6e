/**
 * Connects a local database to a ledger of another server. The user goes to the hand-off page of
 * that server (spec §2), signs in there, chooses a ledger, and returns with a token for it.
 */

import { HAND_OVER } from '../../../local/agreed-endpoints.ts';
import type { Connection } from '../../../local/connections.ts';
import { type Access, keepAccess, tokenClaims } from '../../../local/elsewhere-access.ts';
import { endpointAt, type LedgerPlace, ledgerIn } from '../../../local/endpoint.ts';
import { serverUrl } from '../../../ui/pages/base-path.ts';
import { CONNECT_PATH } from '../address-form.tsx';

type Named = Pick<Connection, 'localName' | 'remoteName'>;

/** A request to another server, which this tab remembers until the user returns. */
interface Asked extends Named, Pick<Access, 'isSealed' | 'user'> {
  readonly state: string;
  readonly atMs: number;
  readonly server: string;
  readonly endpoint: string;
}

/** A request that is older isn't answered any more. */
const ASKED_MS = 15 * 60_000;

interface Leaving extends Pick<Access, 'isSealed' | 'user'> {
  /** Whether the user already allowed this connection, so that the other server needn't ask. */
  readonly isAgain: boolean;
}

/**
 * Leads the user to the other server. Remembers in this tab what was asked, because a link could
 * bring a token that nobody asked for. For a new connection, the other server must ask: the link of
 * somebody else may have chosen the ledger.
 * @param server address of the other server's pages
 * @throws the browser's error if it stores nothing
 */
export function leaveFor(
  server: string,
  { localName, remoteName, endpoint }: Named & Pick<Connection, 'endpoint'>,
  { isSealed, user, isAgain }: Leaving,
  leave: (address: string) => void = (address) => location.assign(address),
): void {
  const state = crypto.randomUUID();
  const asked: Asked = { state, atMs: Date.now(), server, localName, remoteName, endpoint, isSealed, user };
  sessionStorage.setItem(HAND_OVER, JSON.stringify(asked));
  const { tenantId, ledgerId } = ledgerIn(endpoint) ?? {};
  const parameters = new URLSearchParams({
    back_url: serverUrl() + CONNECT_PATH,
    state,
    local_ledger_name: localName,
    ...(tenantId !== undefined && { tenant: tenantId }),
    ...(ledgerId !== undefined && { ledger: ledgerId }),
    ...(!isAgain && { prompt: 'consent' }),
  });
  leave(`${server}/fp/cloud/api/token?${parameters}`);
}

/** Returns whether the other server sent the user back with a token. */
export const isReturn = (parameters: URLSearchParams): boolean => parameters.has('fpToken');

const UNASKED =
  'This page got a token that it didn’t ask for, and didn’t use it. To connect a database, start on the page of the database.';

const UNSTORED = 'This browser doesn’t store the access, so the database can’t connect.';

/**
 * Keeps the token, and returns the parameters of the connection. A token is used once, and only if
 * this tab asked for it, for the same user.
 */
export function takeReturn(
  parameters: URLSearchParams,
  user: string | null,
): URLSearchParams | { readonly problem: string } {
  const asked = takeAsked(parameters.get('state'));
  const token = parameters.get('fpToken') ?? '';
  const claims = tokenClaims(token);
  if (asked === undefined || asked.user !== user || claims === undefined) return { problem: UNASKED };
  const { localName, remoteName, isSealed } = asked;
  const endpoint = names(asked.endpoint, claims) ? asked.endpoint : endpointAt(asked.server, claims);
  try {
    keepAccess(localName, { endpoint, token, user, isSealed });
  } catch {
    return { problem: UNSTORED };
  }
  return new URLSearchParams({ localName, remoteName, endpoint });
}

function names(endpoint: string, { tenantId, ledgerId }: LedgerPlace): boolean {
  const ledger = ledgerIn(endpoint);
  return ledger?.tenantId === tenantId && ledger.ledgerId === ledgerId;
}

/** A link with another state doesn't end the request. */
function takeAsked(state: string | null): Asked | undefined {
  const asked = JSON.parse(sessionStorage.getItem(HAND_OVER) ?? '{}') as Partial<Asked>;
  if (asked.state === undefined || asked.state !== state) return undefined;
  sessionStorage.removeItem(HAND_OVER);
  return Date.now() - (asked.atMs ?? 0) > ASKED_MS ? undefined : (asked as Asked);
}
