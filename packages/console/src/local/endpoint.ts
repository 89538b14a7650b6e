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
    isHere: hostOf(url, text) === page.host && isPathHere(url.pathname),
    place: tenantId === '' ? undefined : { tenantId, ledgerId },
  };
}

/** Below a path, other servers may share the host. */
const isPathHere = (path: string): boolean =>
  basePath() === '' || ['', '/', '/fp'].some((end) => path === basePath() + end);

/** Returns the host with its port as the page's location has it, without the default port. */
function hostOf({ host, port, hostname, searchParams }: URL, text: string): string {
  const isPlain = /^(http|ws):/i.test(text) || /^(http|ws)$/.test(searchParams.get('protocol') ?? '');
  return isPlain && port === '80' ? hostname : host;
}

/** Builds the endpoint of a ledger on the server that serves the console. */
export function endpointHere(
  { tenantId, ledgerId }: LedgerPlace,
  { host, protocol }: Pick<Location, 'host' | 'protocol'> = thisPage(),
): string {
  const parameters = new URLSearchParams({
    ...(protocol === 'http:' && { protocol: 'ws' }),
    tenant: tenantId,
    ledger: ledgerId,
  });
  const path = basePath() === '' ? '/' : `${basePath()}/fp`;
  return `${CLOUD_SCHEME}://${host}${path}?${parameters}`;
}

/** Returns the ledger that an endpoint names, if it is on the server that serves the console. */
export function placeIn(endpoint: string): LedgerPlace | undefined {
  const read = endpoint === '' ? undefined : readEndpoint(endpoint);
  return read !== undefined && 'place' in read && read.isHere ? read.place : undefined;
}
