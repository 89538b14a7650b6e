import { MESSAGE_VERSION } from '@fixpoint/protocol';
import type { RequestOf, StorageRequest } from '@fixpoint/protocol/storage';

type Primitive = string | number | boolean;

/** Fields that an answer repeats from every request. */
export const echoOf = ({ tid, version, auth }: StorageRequest) => ({
  tid,
  version: version ?? MESSAGE_VERSION,
  auth: { type: auth.type, params: { jwk: auth.params.jwk } },
});

/**
 * Returns URL parameters as sent. Clients add parameters that the protocol doesn't define, and read
 * these parameters in the answer.
 */
export function echoUrlParam(urlParam: Readonly<Record<string, unknown>> | undefined) {
  const isPrimitive = (value: unknown): value is Primitive =>
    ['string', 'number', 'boolean'].includes(typeof value);
  const entries = Object.entries(urlParam ?? { key: 'main' }).filter(
    (entry): entry is [string, Primitive] => isPrimitive(entry[1]) && entry[0] !== '__proto__',
  );
  return Object.fromEntries(entries);
}

/** Returns the URL parameters of a message about metas; older clients call them `params`. */
export function metaUrlParam({
  urlParam,
  params,
}: RequestOf<'reqPutMeta' | 'bindGetMeta' | 'reqDelMeta'>): Record<string, Primitive> {
  return echoUrlParam(urlParam ?? params);
}
