/**
 * Connects a local database to a ledger of another server. The user goes to the hand-off page of
 * that server (spec §2), signs in there, chooses a ledger, and returns with a token for it.
 */

import type { Connection } from '../../../local/connections.ts';
import { type Access, keepAccess, tokenClaims } from '../../../local/elsewhere-access.ts';
import { endpointAt, type LedgerPlace, ledgerIn } from '../../../local/endpoint.ts';
import { serverUrl } from '../../../ui/pages/base-path.ts';
import { CONNECT_PATH } from '../address-form.tsx';

type Named = Pick<Connection, 'localName' | 'remoteName'>;

/** A request to another server, which this tab remembers until the user returns. */
interface Asked extends Named, Pick<Access, 'isSealed'> {
  readonly state: string;
  readonly server: string;
  readonly endpoint: string;
}

const ASKED = 'fixpoint:hand-over';

/**
 * Leads the user to the other server. Remembers in this tab what was asked, because a link could
 * bring a token that nobody asked for.
 * @param server address of the other server's pages
 */
export function leaveFor(
  server: string,
  { localName, remoteName, endpoint }: Named & Pick<Connection, 'endpoint'>,
  { isSealed }: Pick<Access, 'isSealed'>,
  leave: (address: string) => void = (address) => location.assign(address),
): void {
  const state = crypto.randomUUID();
  const asked: Asked = { state, server, localName, remoteName, endpoint, isSealed };
  sessionStorage.setItem(ASKED, JSON.stringify(asked));
  const { tenantId, ledgerId } = ledgerIn(endpoint) ?? {};
  const parameters = new URLSearchParams({
    back_url: serverUrl() + CONNECT_PATH,
    state,
    local_ledger_name: localName,
    ...(tenantId !== undefined && { tenant: tenantId }),
    ...(ledgerId !== undefined && { ledger: ledgerId }),
  });
  leave(`${server}/fp/cloud/api/token?${parameters}`);
}

/** Returns whether the other server sent the user back with a token. */
export const isReturn = (parameters: URLSearchParams): boolean => parameters.has('fpToken');

const UNASKED =
  'This page got a token that it didn’t ask for, and didn’t use it. To connect a database, start on the page of the database.';

/**
 * Keeps the token, and returns the parameters of the connection. A token is used once, and only if
 * this tab asked for it.
 */
export function takeReturn(parameters: URLSearchParams): URLSearchParams | { readonly problem: string } {
  const asked = takeAsked();
  const token = parameters.get('fpToken') ?? '';
  const claims = tokenClaims(token);
  if (asked === undefined || asked.state !== parameters.get('state') || claims === undefined)
    return { problem: UNASKED };
  const { localName, remoteName, isSealed } = asked;
  const endpoint = names(asked.endpoint, claims) ? asked.endpoint : endpointAt(asked.server, claims);
  keepAccess(localName, { endpoint, token, isSealed });
  return new URLSearchParams({ localName, remoteName, endpoint });
}

function names(endpoint: string, { tenantId, ledgerId }: LedgerPlace): boolean {
  const ledger = ledgerIn(endpoint);
  return ledger?.tenantId === tenantId && ledger.ledgerId === ledgerId;
}

function takeAsked(): Asked | undefined {
  const text = sessionStorage.getItem(ASKED);
  sessionStorage.removeItem(ASKED);
  return text === null ? undefined : (JSON.parse(text) as Asked);
}
