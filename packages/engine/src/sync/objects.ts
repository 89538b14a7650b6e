/** Archives at the remote, by signed URLs. */
import { FixpointError, LIMITS } from '@fixpoint/protocol';
import { readCar } from '../archive/car.ts';
import type { Archive } from '../archive/pack.ts';
import { CAR, type Cid, cidOf, codecOf } from '../codec/cid.ts';
import type { Keys } from '../crypto/keys.ts';
import { open, seal } from '../crypto/seal.ts';
import type { Network } from '../ports/network.ts';
import type { Connection, Target } from './transport/connection.ts';

const TRANSFER_TIMEOUT_MS = 60_000;

export const ledgerFields = (
  { tenant, ledger, name }: Target,
  store: string,
  method: string,
  key: string,
) => ({
  tenant: { tenant, ledger },
  methodParam: { method, store },
  urlParam: { key, store, tenant, ledger, name },
});

/** @throws FixpointError GATEWAY_PUT, FETCH, TIMEOUT */
export async function putArchive(
  connection: Connection,
  target: Target,
  network: Network,
  archive: Archive,
  keys: Keys,
): Promise<void> {
  const body = await seal(archive.bytes, keys.current);
  const { signedUrl } = await connection.request(
    'reqPutData',
    'resPutData',
    ledgerFields(target, 'car', 'PUT', archive.cid),
  );
  const { status } = await network.request({
    method: 'PUT',
    url: signedUrl,
    body,
    timeoutMs: TRANSFER_TIMEOUT_MS,
  });
  // 409: the object is there, sealed with another key; what it holds is the same, by its name.
  if (status >= 300 && status !== 409) throw new FixpointError('GATEWAY_PUT', `status ${status}`);
}

/** An archive, opened and checked: its name is the hash of its content, and so is that of each block. @throws FixpointError MISSING_CARS, CORRUPT, KEY_UNKNOWN, GATEWAY_GET */
export async function getArchive(
  connection: Connection,
  target: Target,
  network: Network,
  cid: Cid,
  keys: Keys['all'],
): Promise<Archive> {
  const { signedUrl } = await connection.request(
    'reqGetData',
    'resGetData',
    ledgerFields(target, 'car', 'GET', cid),
  );
  const { status, body } = await network.request({
    method: 'GET',
    url: signedUrl,
    timeoutMs: TRANSFER_TIMEOUT_MS,
  });
  if (status === 404) throw new FixpointError('MISSING_CARS', cid);
  if (status >= 300) throw new FixpointError('GATEWAY_GET', `status ${status}`);
  const bytes = await open(body, keys);
  if (cidOf(CAR, bytes) !== cid) throw new FixpointError('CORRUPT', `archive ${cid} has other content`);
  const { blocks } = readCar(bytes);
  for (const { cid: block, offset, length } of blocks)
    if (cidOf(codecOf(block), bytes.subarray(offset, offset + length)) !== block)
      throw new FixpointError('CORRUPT', `block ${block}`);
  return { cid, bytes, blocks };
}

/** Does the work for all items, a few at a time. */
export async function inParallel<T, R>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as T);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  return results;
}

export const DOWNLOADS_PARALLEL_MAX = LIMITS.archiveReadersMax;
