/** Transfers archives to and from the remote, by signed URLs. */
import { FixpointError, isFixpointError, LIMITS } from '@fixpoint/protocol';
import { readCar } from '../../archive/car.ts';
import type { Archive } from '../../archive/pack.ts';
import { textOf } from '../../base/bytes.ts';
import type { Head } from '../../clock/event.ts';
import type { Cid } from '../../codec/cid.ts';
import type { NetworkRequest, NetworkResponse } from '../../ports/network.ts';
import type { ObjectStore } from '../ledger/ledger-sealing.ts';
import type { Session } from '../sync-session.ts';
import type { Connection, Target } from './connection.ts';

/** Time without progress after which a transfer is aborted. */
const STALL_MS = 20_000;
/**
 * Upload speed below which an upload times out. `fetch` doesn't report the progress of a body, so
 * the timeout depends on the length of the body.
 */
const UPLOAD_BYTES_PER_MS = 20;
/** Maximum number of objects that one entry names to a gateway. */
const CARS_TOLD_MAX = 1000;
const FILES_TOLD_MAX = 1000;

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

type PlainObject = Pick<Archive, 'cid' | 'bytes'>;

/**
 * Uploads an object.
 * @throws FixpointError GATEWAY_PUT, LIMIT_REACHED when the remote has no space for the object, or
 * any error of `connection.request`
 */
export async function putObject(
  session: Session,
  connection: Connection,
  store: ObjectStore,
  { cid, bytes }: PlainObject,
): Promise<void> {
  const { name, body } = await session.sealing().seal(store, cid, bytes);
  const fields = ledgerFields(session.target, store, 'PUT', name);
  const { signedUrl } = await connection.request('reqPutData', 'resPutData', fields);
  const timeoutMs = STALL_MS + body.length / UPLOAD_BYTES_PER_MS;
  const { status, body: why } = await transfer(session, { method: 'PUT', url: signedUrl, body, timeoutMs });
  if (status < 300) return;
  if (status === 507) throw new FixpointError('LIMIT_REACHED', textOf(why));
  if (status !== 409) throw new FixpointError('GATEWAY_PUT', `status ${status}`);
  // The remote has other bytes under this name. That is fine if these bytes contain the same
  // archive, sealed differently.
  await getObject(session, connection, store, cid);
}

export async function putArchive(session: Session, connection: Connection, archive: Archive): Promise<void> {
  session.memory.sized(archive.cid, archive.bytes.length);
  await putObject(session, connection, 'car', archive);
}

/**
 * Puts a meta entry for an archive at the remote. The archive has the head, and its header names
 * the other archives that the head needs.
 * @param cars the archives that the header names
 * @throws FixpointError MISSING_CARS when the remote lacks one of the archives, and any error of
 * `connection.request`
 */
export async function putMeta(
  { target, sealing, memory, told }: Session,
  connection: Connection,
  archive: Cid,
  head: Head,
  cars: readonly Cid[],
): Promise<void> {
  const nameAll = (store: ObjectStore, cids: readonly Cid[]) =>
    cids.flatMap((cid) => {
      const name = sealing().nameOf(cid);
      return name === undefined ? [] : [`${store}/${name}`];
    });
  const needed = nameAll('car', [archive, ...cars]);
  const { toldFiles } = memory;
  const files = memory
    .heldFiles()
    .filter((cid) => !toldFiles.has(cid) && sealing().nameOf(cid))
    .slice(0, FILES_TOLD_MAX);
  // Sends the list only if it is complete. Without a list, the gateway assumes that the entry needs
  // unknown objects.
  const isAll = needed.length === cars.length + 1 && needed.length <= CARS_TOLD_MAX;
  const entry = await sealing().makeEntry(archive, head);
  const answer = await connection.request('reqPutMeta', 'resPutMeta', {
    ...ledgerFields(target, 'meta', 'PUT', 'main'),
    ...(isAll && { objects: [...needed, ...nameAll('file', files)] }),
    meta: { metas: [entry], keys: [...sealing().keys()] },
  });
  told(entry, { group: [archive], head }, answer);
  if (isAll) for (const file of files) toldFiles.add(file);
}

/**
 * Fetches the plain bytes of an archive, and checks that their hash matches the CID.
 * @throws FixpointError MISSING_CARS, CORRUPT, KEY_UNKNOWN, GATEWAY_GET, or any error of
 * `connection.request`
 */
export async function getObject(
  session: Session,
  connection: Connection,
  store: ObjectStore,
  cid: Cid,
): Promise<PlainObject> {
  const sealing = session.sealing();
  const name = sealing.nameOf(cid);
  if (name === undefined) throw new FixpointError('MISSING_CARS', cid);
  const fields = ledgerFields(session.target, store, 'GET', name);
  const { signedUrl } = await connection.request('reqGetData', 'resGetData', fields);
  const asked = { method: 'GET', url: signedUrl, timeoutMs: STALL_MS } as const;
  const { status, body } = await transfer(session, asked);
  if (status >= 300 && status !== 404) throw new FixpointError('GATEWAY_GET', `status ${status}`);
  try {
    if (status === 404) throw new FixpointError('MISSING_CARS', cid);
    return { cid, bytes: await sealing.open(store, cid, body) };
  } catch (cause) {
    // After this report, the gateway checks the object and notifies devices that have it.
    if (!isFixpointError(cause, 'KEY_UNKNOWN')) session.faulty(`${store}/${name}`);
    throw cause;
  }
}

/**
 * Fetches an archive of blocks. Checks the archive and each block.
 * @throws any error of {@link getObject}
 */
export async function getArchive(session: Session, connection: Connection, cid: Cid): Promise<Archive> {
  const { bytes } = await getObject(session, connection, 'car', cid);
  session.memory.sized(cid, bytes.length);
  return { cid, bytes, blocks: readCar(bytes).blocks };
}

/**
 * Transfers bytes. Objects may be on another host than the gateway, so a failure doesn't mean that
 * the link is down.
 */
async function transfer(
  { platform, target, signal }: Session,
  asked: NetworkRequest & { readonly method: 'GET' | 'PUT' },
): Promise<NetworkResponse> {
  try {
    return await platform.network.request({ ...asked, base: target.gateway, signal });
  } catch (cause) {
    throw new FixpointError(
      `GATEWAY_${asked.method}`,
      cause instanceof Error ? cause.message : String(cause),
      { cause },
    );
  }
}

/**
 * Runs the work for all items, a few at a time. After a failure, doesn't start further items, and
 * rejects when the running ones have ended.
 */
export async function inParallel<T>(
  items: Iterable<T> | AsyncIterable<T>,
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const next = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let hasFailed = false;
  const worker = async () => {
    try {
      for (let item = await next.next(); !item.done && !hasFailed; item = await next.next())
        await work(item.value);
    } catch (cause) {
      hasFailed = true;
      throw cause;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: most }, worker));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

export const DOWNLOADS_PARALLEL_MAX = LIMITS.archiveReadersMax;
