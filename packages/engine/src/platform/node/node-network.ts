import type { Network } from '../../ports/network.ts';
import { fetchNetwork, type PlainSocket } from '../fetch-network.ts';
import { guardedRequests, type Lookup, systemLookup } from './guarded-request.ts';

/**
 * Implements the network of Node. Requests to URLs that came from a server have a `base`, and
 * `guardedRequests` checks them.
 */
export function nodeNetwork(
  openSocket: (url: string) => Promise<PlainSocket>,
  lookup: Lookup = systemLookup,
): Network {
  const plain = fetchNetwork(openSocket);
  const guarded = guardedRequests(lookup);
  return {
    ...plain,
    request: ({ base, ...asked }) =>
      base === undefined ? plain.request(asked) : guarded({ ...asked, base }),
  };
}
