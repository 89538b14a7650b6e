import { FixpointError } from '@fixpoint/protocol';
import { isStoreType, type RequestOf, type StoreType } from '@fixpoint/protocol/storage';
import type { ObjectName } from '../../objects/object-name.ts';
import type { ObjectMethod } from '../../objects/signed-url.ts';
import type { LedgerId } from '../../tables/sync/meta-rows.ts';
import { echoOf, echoUrlParam } from '../echo.ts';
import type { Call, Handled } from '../gateway-types.ts';
import { keyIdsOf } from '../keys/key-ids.ts';
import { requireLedger } from '../require-ledger.ts';

type DataRequest = 'reqPutData' | 'reqGetData' | 'reqDelData' | 'reqPutWAL' | 'reqGetWAL' | 'reqDelWAL';
type DataCall = { readonly [T in DataRequest]: Call<T> }[DataRequest];

/**
 * Answers with a URL for one object. The message type decides the HTTP method, whatever
 * `methodParam` says.
 */
export async function signData(
  { parts, request, claims, carrier }: DataCall,
  type: `res${'Put' | 'Get' | 'Del'}${'Data' | 'WAL'}`,
  method: ObjectMethod,
): Promise<Handled> {
  const id = await requireLedger(parts, claims, request.tenant, method === 'GET' ? 'read' : 'write');
  const name = type.endsWith('WAL') ? objectOf(request, id, 'wal') : dataObjectOf(request, id);
  const { store } = name;
  const { expires } = request.urlParam;
  const signedUrl =
    method === 'GET'
      ? await parts.objects.signDownload(carrier.origin, name, () => keyIdsOf(parts.db, id.ledger), expires)
      : parts.objects.sign(method, carrier.origin, name, expires);
  return {
    answer: {
      ...echoOf(request),
      type,
      conn: request.conn,
      tenant: id,
      methodParam: { method, store },
      urlParam: echoUrlParam(request.urlParam),
      signedUrl,
    },
  };
}

/** @throws FixpointError INVALID_STORE_TYPE, STORE_MISMATCH */
function dataObjectOf(request: RequestOf<DataRequest>, id: LedgerId): ObjectName {
  const { store } = request.methodParam;
  if (!isStoreType(store)) throw new FixpointError('INVALID_STORE_TYPE');
  const told = request.urlParam['store'];
  if (told !== undefined && told !== store) throw new FixpointError('STORE_MISMATCH');
  return objectOf(request, id, store);
}

const objectOf = ({ urlParam }: RequestOf<DataRequest>, id: LedgerId, store: StoreType): ObjectName => ({
  ...id,
  store,
  index: urlParam.index || undefined,
  key: urlParam.key,
});
