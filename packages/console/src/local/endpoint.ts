/**
 * Reads and builds the endpoint of a connection: the address of a server, and in it the tenant and
 * the ledger to sync with. This way the record of a connection keeps the fields of spec §3.
 */
import { CLOUD_SCHEME, urlOf } from '@fixpoint/protocol';
import { basePath } from '../ui/pages/base-path.ts';

/** The ledger that a local database syncs with. */
export interface LedgerPlace {
  readonly tenantId: string;
  readonly ledgerId: string;
}

export interface Endpoint {
  /** Host and port of the server, for people. */
  readonly host: string;
  /** Address of the server's pages, without a slash at the end. */
  readonly server: string;
  /** Whether this is the server that serves the console. */
  readonly isHere: boolean;
  /** Undefined if the endpoint names only the server. */
  readonly place: LedgerPlace | undefined;
}

/** Workers and tests have no page. */
const NO_PAGE = { host: '', protocol: 'https:' };
const thisPage = (): Pick<Location, 'host' | 'protocol'> =>
  typeof location === 'undefined' ? NO_PAGE : location;

/** Parameters of storage addresses (spec §3) without secrets. Names are compared exactly. */
const PARAMETERS: ReadonlySet<string> = new Set([
  'name',
  'tenant',
  'ledger',
  'store',
  'path',
  'index',
  'protocol',
  'version',
]);
const hasOnlyKnown = (parameters: URLSearchParams): boolean =>
  [...parameters.keys()].every((name) => PARAMETERS.has(name));

const SCHEMES = /^(fpcloud|https?|wss?):\/\//i;
const PROTOCOLS: ReadonlySet<string> = new Set(['ws', 'wss', 'http', 'https']);

/**
 * Reads an endpoint. Returns a problem if the console can't record it.
 * @param page the location of the console's page
 */
export function readEndpoint(
  text: string,
  page: Pick<Location, 'host'> = thisPage(),
): Endpoint | { readonly problem: string } {
  // Browsers parse the host of an unknown scheme in different ways.
  const url = SCHEMES.test(text) ? urlOf(text.replace(SCHEMES, 'https://')) : undefined;
  if (url === undefined)
    return { problem: `"${text}" isn’t the address of a server. Enter an address such as fpcloud://host.` };
  const { searchParams } = url;
  if (url.username !== '' || url.password !== '' || url.hash !== '' || !hasOnlyKnown(searchParams))
    return {
      problem:
        'The endpoint contains a password, a token or an unknown part, which the console doesn’t store. Remove it.',
    };
  const protocol = searchParams.get('protocol');
  if (protocol !== null && !PROTOCOLS.has(protocol))
    return {
      problem: `The endpoint has the unknown protocol "${protocol}". Use one of ${[...PROTOCOLS].join(', ')}.`,
    };
  const [tenantId, ledgerId] = [searchParams.get('tenant') ?? '', searchParams.get('ledger') ?? ''];
  if ((tenantId === '') !== (ledgerId === ''))
    return { problem: 'The endpoint must contain both a tenant and a ledger, or neither.' };
  return {
    host: url.host,
    server: serverOf(url, text),
    isHere: hostOf(url, text) === page.host && isPathHere(url.pathname),
    place: tenantId === '' ? undefined : { tenantId, ledgerId },
  };
}

/** Below a path, other servers may share the host. */
const isPathHere = (path: string): boolean =>
  basePath() === '' || ['', '/', '/fp'].some((end) => path === basePath() + end);

/** Returns the host with its port as the page's location has it, without the default port. */
const hostOf = (url: URL, text: string): string =>
  isPlain(url, text) && url.port === '80' ? url.hostname : url.host;

/** Returns whether the endpoint names a server without TLS. */
const isPlain = ({ searchParams }: URL, text: string): boolean =>
  /^(http|ws):/i.test(text) || /^(http|ws)$/.test(searchParams.get('protocol') ?? '');

const serverOf = (url: URL, text: string): string =>
  `${isPlain(url, text) ? 'http' : 'https'}://${hostOf(url, text)}${url.pathname.replace(/(\/fp)?\/?$/, '')}`;

/** Builds the endpoint of a ledger on the server that serves the console. */
export const endpointHere = (
  place: LedgerPlace,
  { host, protocol }: Pick<Location, 'host' | 'protocol'> = thisPage(),
): string => endpointAt(`${protocol}//${host}${basePath()}`, place);

/**
 * Builds the endpoint of a ledger.
 * @param server the address of the server's pages, as in `Endpoint`
 */
export function endpointAt(server: string, { tenantId, ledgerId }: LedgerPlace): string {
  const [, scheme, rest = ''] = /^(https?):\/\/(.*)$/.exec(server) ?? [];
  const parameters = new URLSearchParams({
    ...(scheme === 'http' && { protocol: 'ws' }),
    tenant: tenantId,
    ledger: ledgerId,
  });
  return `${CLOUD_SCHEME}://${rest}${rest.includes('/') ? '/fp' : '/'}?${parameters}`;
}

/** Returns the address of a server for people: without `https://`, because that is expected. */
export const serverName = (server: string): string => server.replace(/^https:\/\//, '');

/** Returns whether others in the network can read what is sent to this address. */
export const isReadable = (server: string): boolean =>
  /^http:\/\/(?!(([\w-]+\.)*localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$))/.test(server);

/**
 * Returns why pages of this console can't connect to another server, and what to do; undefined if
 * they can. The hand-off page gives no token to its own origin: all pages of an origin share the
 * storage of the browser, so tokens and users of two servers couldn't be kept apart.
 * @param server the address of the server's pages, as in `Endpoint`
 */
export function obstacleTo(
  server: string,
  { protocol, host }: Pick<Location, 'host' | 'protocol'> = thisPage(),
): string | undefined {
  const other = new URL(server);
  if (protocol === 'https:' && isReadable(server))
    return `This page was loaded over https, so the browser blocks its connections to ${server}. Ask the operator of ${other.host} for an https:// address, then enter that one.`;
  if (other.protocol === protocol && other.host === host)
    return `${serverName(server)} and this console have the same origin, ${other.origin}, so the browser can’t keep their users and tokens apart. Ask the operator for an address with another host name or port, then enter that one.`;
  return undefined;
}

/** A ledger of any server. */
export interface AnyLedger extends LedgerPlace {
  readonly server: string;
  readonly isHere: boolean;
}

/** Returns the ledger that an endpoint names, on whatever server it is. */
export function ledgerIn(endpoint: string): AnyLedger | undefined {
  const read = endpoint === '' ? undefined : readEndpoint(endpoint);
  if (read === undefined || 'problem' in read || read.place === undefined) return undefined;
  return { ...read.place, server: read.server, isHere: read.isHere };
}

/** Returns the ledger that an endpoint names, if it is on the server that serves the console. */
export function placeIn(endpoint: string): LedgerPlace | undefined {
  const { isHere, tenantId, ledgerId } = ledgerIn(endpoint) ?? {};
  return isHere === true && tenantId !== undefined && ledgerId !== undefined
    ? { tenantId, ledgerId }
    : undefined;
}
