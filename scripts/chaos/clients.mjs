/**
 * Clients of the gateways: writers that repeat unacknowledged requests, and readers that resume
 * from their last cursor.
 */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';

const VERSION = 'FP-MSG-1.0';
const ANSWER_MS = 5000;
const RETRY_MS = 50;
const newId = () => `z${randomBytes(9).toString('hex')}`;

const messageOf = (type, { token }, fields) => ({
  tid: newId(),
  type,
  version: VERSION,
  auth: { type: 'fp-cloud-jwk', params: { jwk: token } },
  ...fields,
});

const about = ({ tenant, ledger }, store, method, key = 'main') => ({
  tenant: { tenant, ledger },
  methodParam: { method, store },
  urlParam: { key, store, tenant, ledger, name: 'chaos' },
});

/**
 * Sends a request to one gateway after another until a gateway returns the wanted answer.
 * @throws Error for an answer that a retry can't fix
 */
async function ask(gateways, type, account, fields, wanted) {
  for (;;) {
    try {
      const response = await fetch(`${await gateways.pick()}/fp`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(messageOf(type, account, fields)),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      const answer = await response.json();
      if (answer.type === wanted) return answer;
      if (answer.type === 'error' && !/internal error|store failed/.test(answer.message))
        throw new Error(`violation: ${type}: ${answer.message}`);
    } catch (cause) {
      if (String(cause).includes('violation')) throw cause;
    }
    await pause(RETRY_MS * (1 + Math.random()));
  }
}

/** Returns the name of an archive as clients compute it: a CID of the bytes. */
function cidOf(codec, bytes) {
  const cid = Buffer.concat([
    Buffer.from([1, codec, 0x12, 0x20]),
    createHash('sha256').update(bytes).digest(),
  ]);
  const bits = [...cid].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = bits.match(/.{1,5}/g) ?? [];
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
  return `b${letters.map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')}`;
}

function entryFor(car) {
  const dbMeta = Buffer.from(JSON.stringify({ cars: [{ '/': car }] }));
  const head = [Buffer.from([0xa2, 0x64]), Buffer.from('data'), Buffer.from([0xa1, 0x66])];
  const { length: size } = dbMeta;
  const length = Buffer.from(size < 256 ? [0x58, size] : [0x59, size >> 8, size & 255]);
  const tail = [Buffer.from([0x67]), Buffer.from('parents'), Buffer.from([0x80])];
  const block = Buffer.concat([...head, Buffer.from('dbMeta'), length, dbMeta, ...tail]);
  return { cid: cidOf(0x71, block), parents: [], data: `M${block.toString('base64')}` };
}

/**
 * Uploads an archive, then puts the meta that refers to this archive. Repeats both until
 * `state.isOver`.
 */
export async function write(gateways, account, state) {
  while (!state.isOver) {
    const began = performance.now();
    const bytes = randomBytes(1000 + Math.floor(Math.random() * 20_000));
    const key = cidOf(0x18, bytes);
    // Each writer has its own pair of ids, because an entry supersedes earlier entries of the same
    // pair.
    const { conn } = await ask(gateways, 'reqOpen', account, { conn: { reqId: newId() } }, 'resOpen');
    await upload(gateways, account, conn, key, bytes);
    state.objects.set(key, { account, conn, hash: createHash('sha256').update(bytes).digest('hex') });
    const entry = entryFor(key);
    const fields = { ...about(account, 'meta', 'PUT'), conn, meta: { metas: [entry], keys: ['zChaos'] } };
    await ask(gateways, 'reqPutMeta', account, fields, 'resPutMeta');
    const at = performance.now();
    state.metas.set(entry.cid, { at, took: at - began });
  }
}

async function upload(gateways, account, conn, key, body) {
  for (;;) {
    const { signedUrl } = await ask(
      gateways,
      'reqPutData',
      account,
      { ...about(account, 'car', 'PUT', key), conn },
      'resPutData',
    );
    const status = await fetch(signedUrl, { method: 'PUT', body, signal: AbortSignal.timeout(15_000) }).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    if (status >= 400 && status < 500) throw new Error(`violation: upload: ${status}`);
    await pause(RETRY_MS);
  }
}

/** Returns the hash of an object's bytes, or the HTTP status of a failed download. */
export async function download(gateways, { account, conn }, key) {
  for (;;) {
    const fields = { ...about(account, 'car', 'GET', key), conn };
    const { signedUrl } = await ask(gateways, 'reqGetData', account, fields, 'resGetData');
    const response = await fetch(signedUrl, { signal: AbortSignal.timeout(15_000) }).catch(() => undefined);
    if (response?.status === 200)
      return createHash('sha256')
        .update(Buffer.from(await response.arrayBuffer()))
        .digest('hex');
    if (response?.status === 404) return 'missing';
    await pause(RETRY_MS);
  }
}

/**
 * Subscribes to a ledger on one gateway, then on the next when a gateway fails. Records each event
 * with its cursor.
 */
export class Reader {
  cids = [];
  delays = [];
  cursor = 0;
  mark = undefined;
  connects = 0;

  constructor(gateways, account, metas) {
    this.account = account;
    void this.#keep(gateways, metas);
  }

  async #keep(gateways, metas) {
    for (;;) {
      const url = await gateways.pick();
      await this.#follow(url, metas);
      await pause(RETRY_MS * Math.random());
    }
  }

  #follow(url, metas) {
    return new Promise((ended) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
      const say = (type, fields) => socket.send(JSON.stringify(messageOf(type, this.account, fields)));
      socket.on('open', () => say('reqOpen', { conn: { reqId: newId() } }));
      socket.on('message', (data) => {
        const message = JSON.parse(String(data));
        if (message.type === 'resOpen') {
          this.connects += 1;
          say('bindGetMeta', {
            ...about(this.account, 'meta', 'GET'),
            conn: message.conn,
            cursor: this.cursor,
            mark: this.mark,
          });
        } else if (message.type === 'eventGetMeta') this.#take(message, metas);
        else socket.terminate();
      });
      socket.on('error', () => socket.terminate());
      socket.on('close', ended);
    });
  }

  #take({ cursor, mark, meta }, metas) {
    Object.assign(this, { cursor, mark });
    for (const { cid } of meta.metas) {
      this.cids.push(cid);
      const acknowledged = metas.get(cid)?.at;
      this.delays.push(acknowledged === undefined ? 0 : performance.now() - acknowledged);
    }
  }
}
