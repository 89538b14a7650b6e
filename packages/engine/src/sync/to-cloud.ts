import { FixpointError } from '@fixpoint/protocol';
import { gatewayUrl, LEDGER_KINDS } from '@fixpoint/protocol/storage';
import { attach } from './attachment.ts';
import type { LedgerKind } from './ledger/ledger-sealing.ts';
import { remoteIdOf } from './ledger/remote-memory.ts';
import type { Remote } from './remote.ts';
import { tokenSource } from './transport/token-source.ts';

/** The ledger that a database attaches to, and the user's token. */
export interface CloudOptions {
  /**
   * Address of the cloud, such as `https://cloud.example` or `fpcloud://host?protocol=wss`; in
   * Node, the default is the variable FP_STORAGE_URL.
   */
  readonly base?: string;
  /** The id of the tenant. */
  readonly tenant: string;
  /** The id of the ledger. */
  readonly ledger: string;
  /**
   * A cloud token, or a function that fetches a token. The function is called again before a token
   * expires.
   */
  readonly token: string | (() => Promise<string>);
  /**
   * `sealed`: only approved devices receive keys, and the cloud can't decrypt anything. `open-key`:
   * the cloud receives keys too, as existing clients of the protocol send them. Set the kind:
   * without it, the server decides on the first attach, and a server that chooses `open-key`
   * receives the database's key. Each device remembers the kind, and rejects a ledger of the other
   * kind with LEDGER_KIND. A new ledger becomes open-key if neither the application nor the server
   * chooses a kind.
   */
  readonly kind?: LedgerKind;
  /**
   * When files of documents are fetched. `when-read` (default): on first read. `always`: as soon as
   * the document arrives, so that all files can be read offline.
   */
  readonly files?: 'when-read' | 'always';
}

/** Returns a ledger to attach a database to. */
export function toCloud({ base, tenant, ledger, token, kind, files = 'when-read' }: CloudOptions): Remote {
  return {
    idOn: ({ storageUrl }) => {
      const address = base ?? storageUrl;
      if (address === undefined) return undefined;
      const id = remoteIdOf(gatewayUrl(address), tenant, ledger);
      // Tabs that request a kind don't share the connection of a tab that requests none.
      return kind === undefined ? id : `${id}-${kind}`;
    },
    attach: async (commits, platform, watch) => {
      const address = base ?? platform.storageUrl;
      if (kind !== undefined && !LEDGER_KINDS.includes(kind))
        throw new FixpointError('REQUEST_INVALID', 'toCloud kind');
      if (address === undefined) throw new FixpointError('REQUEST_INVALID', 'toCloud needs a base');
      const target = {
        gateway: gatewayUrl(address),
        tenant,
        ledger,
        name: 'toCloud',
        tokens: tokenSource(token, platform.time),
      };
      const load = () => import('./lazy-sync-chunk.ts');
      return attach({ commits, platform, target, kind, fetchAllFiles: files === 'always', load, watch });
    },
  };
}
