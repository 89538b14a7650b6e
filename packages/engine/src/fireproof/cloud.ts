/** `toCloud` with the signature that existing applications use. */
import { FixpointError, GATEWAY_VERSION } from '@fixpoint/protocol';
import type { CloudOptions, Remote } from '../sync/remote.ts';
import { toCloud as toLedger } from '../sync/to-cloud.ts';
import { asObject } from './options.ts';

/** Fetches a cloud token. */
export interface TokenStrategy {
  /** Returns a token. The engine fetches a new token before this one expires. */
  token(): Promise<string>;
}

/** The tokens of strategies that always return the same token. */
const fixedTokens = new WeakMap<TokenStrategy, string>();

/** A token that the application already has. */
export class SimpleTokenStrategy implements TokenStrategy {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
    fixedTokens.set(this, token);
  }

  token(): Promise<string> {
    return Promise.resolve(this.#token);
  }
}

type Url = string | { toString(): string };

/** The ledger to attach to, in the form of existing applications. */
export interface FireproofCloudOptions {
  /**
   * Address of the cloud. The address may have the parameters `tenant`, `ledger` and `authJWK` (a
   * token), which apply if the options omit these values. All addresses must name the same place.
   */
  readonly urls?: {
    readonly base?: Url | undefined;
    readonly car?: Url | undefined;
    readonly file?: Url | undefined;
    readonly meta?: Url | undefined;
  };
  /** Id of the tenant; default: the tenant that the token selects. */
  readonly tenant?: string;
  /** Id of the ledger; default: the ledger that the token selects. */
  readonly ledger?: string;
  /** Fetches the token; default: the token in the URL. */
  readonly strategy?: TokenStrategy;
  /**
   * An addition of Fixpoint: the required kind of ledger, as in `toCloud` of `fixpoint`. Without it
   * the server decides on the first attach.
   */
  readonly kind?: 'sealed' | 'open-key';
  /**
   * Accepted without effect, like all following options: the engine itself watches connections and
   * refreshes tokens.
   */
  readonly name?: string;
  readonly intervalSec?: number;
  readonly tokenWaitTimeSec?: number;
  readonly refreshTokenPresetSec?: number;
  readonly dashboardURI?: string;
  readonly tokenApiURI?: string;
  readonly tokenParam?: string;
  readonly events?: unknown;
  readonly context?: unknown;
  readonly keyBag?: unknown;
}

interface Address {
  readonly base?: string;
  readonly tenant?: string;
  readonly ledger?: string;
  readonly token?: string;
}

/**
 * Returns a ledger to attach to. Without a tenant and a ledger, the token selects the ledger; if it
 * selects none, attaching fails with REQUEST_INVALID. Without `kind`, the server decides the
 * ledger's kind, and a new ledger is open-key, as the ledgers of existing applications are. A
 * component can call this function in each render: its hook attaches again only when the address,
 * the ledger or the token of a `SimpleTokenStrategy` changes.
 * @throws FixpointError AUTH_JWK_REQUIRED without a strategy and a token in the URL;
 * REQUEST_INVALID, STORE_MISMATCH, INVALID_STORE_TYPE, NOT_IMPLEMENTED for the URLs
 */
export function toCloud(options?: FireproofCloudOptions): Remote {
  if (options === undefined)
    throw new FixpointError(
      'REQUEST_INVALID',
      'toCloud: pass { urls: { base }, tenant, ledger, strategy }, where strategy.token() returns a cloud token',
    );
  const { urls = {}, strategy, ...given } = asObject('toCloud', options);
  const address = addressOf(asObject('toCloud urls', urls));
  const tenant = given.tenant ?? address.tenant;
  const ledger = given.ledger ?? address.ledger;
  const tokens =
    strategy ?? (address.token === undefined ? undefined : new SimpleTokenStrategy(address.token));
  if (tokens === undefined) throw new FixpointError('AUTH_JWK_REQUIRED');
  if (typeof tokens?.token !== 'function')
    throw new FixpointError('REQUEST_INVALID', 'toCloud strategy: it has no token function');
  const { base } = address;
  return {
    // Like use-fireproof, hooks don't attach again when only a strategy of the application changes.
    // A getter, so that a printed remote doesn't show the token.
    get inputs() {
      return JSON.stringify([base, tenant, ledger, given.kind, fixedTokens.get(tokens)]);
    },
    attach: async (commits, platform) => {
      const selected =
        tenant !== undefined && ledger !== undefined ? { tenant, ledger } : selectionOf(await tokens.token());
      const options: CloudOptions = {
        ...(base !== undefined && { base }),
        tenant: tenant ?? selected.tenant,
        ledger: ledger ?? selected.ledger,
        token: () => tokens.token(),
        ...(given.kind !== undefined && { kind: given.kind }),
      };
      return toLedger(options).attach(commits, platform);
    },
  };
}

const SCHEMES = /^(fpcloud|https?|wss?):/;
const PROTOCOLS = ['ws', 'wss', 'http', 'https'];

function addressOf(urls: NonNullable<FireproofCloudOptions['urls']>): Address {
  const found = Object.entries(urls).flatMap(([as, url]) =>
    url === undefined ? [] : [readAddress(as, String(url))],
  );
  const [first = {}] = found;
  const place = ({ base }: Address) => base?.replace(/\?.*$/, '');
  if (found.some((one) => place(one) !== place(first)))
    throw new FixpointError('REQUEST_INVALID', 'toCloud urls: not all name one place');
  const address: Address = {};
  for (const one of found.toReversed()) Object.assign(address, one);
  return address;
}

function readAddress(as: string, url: string): Address {
  const refuse = (why: string) => new FixpointError('REQUEST_INVALID', `toCloud urls.${as}: ${why}`);
  if (!SCHEMES.test(url)) throw refuse(url);
  const parameters = new URLSearchParams(/\?(.*)$/.exec(url)?.[1] ?? '');
  const of = (name: string) => parameters.get(name) || undefined;
  const store = of('store');
  if (store !== undefined && !['car', 'file', 'meta', 'wal'].includes(store))
    throw new FixpointError('INVALID_STORE_TYPE', `toCloud urls.${as}`);
  if (store !== undefined && store !== as) throw new FixpointError('STORE_MISMATCH', `toCloud urls.${as}`);
  if (of('key') !== undefined) throw refuse('it names one object');
  const protocol = of('protocol');
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) throw refuse(`protocol=${protocol}`);
  const version = of('version');
  if (version !== undefined && version !== GATEWAY_VERSION)
    throw new FixpointError('FORMAT_NEWER', `toCloud urls.${as}: version=${version}`);
  // Data sent to an open-key ledger is always encrypted with the database's keys.
  if (of('storekey') === 'insecure')
    throw new FixpointError('NOT_IMPLEMENTED', 'storekey=insecure of a ledger');
  const [tenant, ledger, token] = [of('tenant'), of('ledger'), of('authJWK')];
  return {
    base: url,
    ...(tenant !== undefined && { tenant }),
    ...(ledger !== undefined && { ledger }),
    ...(token !== undefined && { token }),
  };
}

/** Returns the ledger that a token selects. Doesn't verify the token's claims: the gateway does. */
function selectionOf(token: string): { tenant: string; ledger: string } {
  try {
    const body = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { selected } = JSON.parse(atob(body)) as { selected?: { tenant?: unknown; ledger?: unknown } };
    const { tenant, ledger } = selected ?? {};
    if (typeof tenant === 'string' && typeof ledger === 'string') return { tenant, ledger };
  } catch (cause) {
    throw new FixpointError('REQUEST_INVALID', 'the token cannot be read', { cause });
  }
  throw new FixpointError(
    'REQUEST_INVALID',
    'toCloud needs a tenant and a ledger, or a token that selects them',
  );
}
