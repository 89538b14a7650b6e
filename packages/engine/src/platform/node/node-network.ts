import { createLazy } from '../../base/lazy.ts';
import type { Network } from '../../ports/network.ts';
import { fetchNetwork, type PlainSocket } from '../fetch-network.ts';
import type { Lookup } from './guarded-request.ts';

/**
 * Implements the network of Node. Requests to URLs that came from a server have a `base`, and
 * `guardedRequests` checks them.
 */
export function nodeNetwork(openSocket: (url: string) => Promise<PlainSocket>, lookup?: Lookup): Network {
  const plain = fetchNetwork(openSocket);
  // Loads `node:http` and its parts only for databases that sync.
  const { load } = createLazy(async () => {
    const { guardedRequests, systemLookup } = await import('./guarded-request.ts');
    return guardedRequests(lookup ?? systemLookup);
  });
  return {
    ...plain,
    request: async ({ base, ...asked }) =>
      base === undefined ? plain.request(asked) : (await load())({ ...asked, base }),
  };
}
