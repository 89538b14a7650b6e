/** `toCloud` as existing applications call it. */
import { FixpointError } from '@fixpoint/protocol';
import type { Remote } from '../sync/remote.ts';
import { type CloudOptions, toCloud as toLedger } from '../sync/to-cloud.ts';

/** Gets a cloud token. */
export interface TokenStrategy {
  token(): Promise<string>;
}

/** A token that the application has already. */
export class SimpleTokenStrategy implements TokenStrategy {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  token(): Promise<string> {
    return Promise.resolve(this.#token);
  }
}

export interface FireproofCloudOptions {
  readonly urls?: { readonly base?: string };
  /** Default is what the token selects. */
  readonly tenant?: string;
  readonly ledger?: string;
  readonly strategy: TokenStrategy;
}

/**
 * A ledger to attach to. Without a tenant and a ledger it is the one that the token selects. It is open-key, as ledgers of existing applications are.
 * Attaching fails with REQUEST_INVALID when the token selects none.
 */
export function toCloud({ urls = {}, tenant, ledger, strategy }: FireproofCloudOptions): Remote {
  return {
    attach: async (commits, platform) => {
      const selected =
        tenant !== undefined && ledger !== undefined
          ? { tenant, ledger }
          : selectionOf(await strategy.token());
      const options: CloudOptions = {
        ...(urls.base !== undefined && { base: urls.base }),
        tenant: tenant ?? selected.tenant,
        ledger: ledger ?? selected.ledger,
        token: () => strategy.token(),
      };
      return toLedger(options).attach(commits, platform);
    },
  };
}

/** What a token says of itself. The gateway checks it; here it only tells where to go. */
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
