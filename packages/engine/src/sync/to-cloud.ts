import { FixpointError } from '@fixpoint/protocol';
import { gatewayUrl, LEDGER_KINDS } from '@fixpoint/protocol/storage';
import { attach } from './attachment.ts';
import { remoteIdOf } from './ledger/remote-memory.ts';
import type { CloudOptions, Remote } from './remote.ts';
import { tokenSource } from './transport/token-source.ts';

/** Returns a ledger to attach a database to. */
export function toCloud(options: CloudOptions): Remote {
  // Untyped code may pass nothing: `attach` says what is missing.
  const { base, tenant, ledger, token, kind, files, members } = options ?? {};
  return {
    options: () => options,
    idOn: ({ storageUrl }) => {
      const address = base ?? storageUrl;
      if (!address) return undefined;
      const id = remoteIdOf(gatewayUrl(address), tenant, ledger);
      // Tabs that request a kind don't share the connection of a tab that requests none.
      return kind ? `${id}-${kind}` : id;
    },
    attach: async (commits, platform, watch) => {
      const address = base ?? platform.storageUrl;
      if (![undefined, ...LEDGER_KINDS].includes(kind))
        throw new FixpointError('REQUEST_INVALID', 'toCloud: kind is sealed or open-key');
      if (!address || !tenant || !ledger || !token)
        throw new FixpointError('REQUEST_INVALID', 'toCloud needs base, tenant, ledger and token');
      const target = {
        gateway: gatewayUrl(address),
        tenant,
        ledger,
        name: 'toCloud',
        tokens: tokenSource(token, platform.time),
        members,
      };
      const load = () => import('./lazy-sync-chunk.ts');
      return attach({ commits, platform, target, kind, fetchAllFiles: files === 'always', load, watch });
    },
  };
}
