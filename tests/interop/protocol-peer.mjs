/**
 * Sends the messages of the existing client, without its database, from a separate process. Prints
 * the result of each call as one line of JSON.
 */
import { Msger } from '@fireproof/core-protocols-cloud';
import { ensureSuperThis } from '@fireproof/core-runtime';
import {
  buildBindGetMeta,
  buildReqDelData,
  buildReqGetData,
  buildReqPutData,
  buildReqPutMeta,
  MsgIsEventGetMeta,
} from '@fireproof/core-types-protocols-cloud';

const { url, token, tenant, ledger, entry, object } = JSON.parse(process.argv[2]);
const sthis = ensureSuperThis();
const auth = { type: 'fp-cloud-jwk', params: { jwk: token } };

async function connect() {
  const vc = (await Msger.connect(sthis, url, {})).Ok();
  const request = (message) => {
    const wanted = message.type.replace('req', 'res');
    return vc.request(message, { waitFor: ({ type }) => type === wanted, timeout: 60_000 });
  };
  const context = () => ({ auth, tenant: { tenant, ledger } });
  return { vc, request, context };
}

const urlParam = (store, key) => ({ key, store, tenant, ledger, name: 'toCloud' });
const signed = (method, key) => ({
  auth,
  methodParam: { method, store: 'car' },
  urlParam: urlParam('car', key),
});
const metaParam = (method) => ({
  methodParam: { method, store: 'meta' },
  urlParam: urlParam('meta', 'main'),
});

/** Subscribes to the metas. Returns a function that resolves with the next event that matches. */
function follow({ vc, context }) {
  const stream = vc.bind(buildBindGetMeta(sthis, auth, metaParam('GET'), context()), {
    waitFor: MsgIsEventGetMeta,
  });
  const reader = stream.getReader();
  return async (wanted) => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Error('the stream ended');
      if (wanted(value)) return value;
    }
  };
}

const said = {};
const reader = await connect();
const next = follow(reader);
const first = await next(() => true);
said.first = { type: first.type, meta: first.meta };

const writer = await connect();
const body = Buffer.from(object.body, 'base64');
const put = await writer.request(buildReqPutData(sthis, signed('PUT', object.key), writer.context()));
said.put = put.type;
said.uploaded = (await fetch(put.signedUrl, { method: 'PUT', body })).status;
const get = await writer.request(buildReqGetData(sthis, signed('GET', object.key), writer.context()));
said.get = get.type;
said.same = Buffer.from(await (await fetch(get.signedUrl)).arrayBuffer()).equals(body);
const meta = await writer.request(
  buildReqPutMeta(
    sthis,
    auth,
    urlParam('meta', 'main'),
    { metas: [entry], keys: ['zKey'] },
    writer.context(),
  ),
);
said.meta = { type: meta.type, meta: meta.meta };
const event = await next(({ meta: told }) => told?.metas?.length > 0);
said.event = { type: event.type, meta: event.meta };
const del = await writer.request(buildReqDelData(sthis, signed('DELETE', object.key), writer.context()));
said.del = del.type;
said.deleted = (await fetch(del.signedUrl, { method: 'DELETE' })).status;
said.gone = (await fetch(get.signedUrl)).status;
process.stdout.write(`${JSON.stringify([said])}\n`);
process.exit(0);
