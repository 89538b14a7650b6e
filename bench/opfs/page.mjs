/** The page of the OPFS benchmark. `bench/opfs.mjs` calls its functions. */
function record(length) {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  return bytes;
}
const RECORD = record(300);

/** Returns a function that sends requests and resolves with the answers. */
function line(post, listen) {
  const waiting = new Map();
  let ids = 0;
  listen(({ data }) => {
    const done = waiting.get(data.id);
    waiting.delete(data.id);
    done?.(data.result);
  });
  return (how, parts = {}) =>
    new Promise((resolve) => {
      ids += 1;
      waiting.set(ids, resolve);
      post({ id: ids, how, ...parts });
    });
}

function startWorker() {
  const worker = new Worker('worker.mjs', { type: 'module' });
  const send = line(
    (request) => worker.postMessage(request),
    (fn) => worker.addEventListener('message', fn),
  );
  return Object.assign(send, { worker });
}

function byChannel() {
  const channel = new BroadcastChannel('bench-opfs');
  const from = crypto.randomUUID();
  return line(
    (request) => channel.postMessage({ ...request, from }),
    (fn) => channel.addEventListener('message', (event) => event.data.to === from && fn(event)),
  );
}

function byPort() {
  const { port1, port2 } = new MessageChannel();
  const shared = new SharedWorker('ports.mjs');
  shared.port.postMessage({ port: port2 }, [port2]);
  const ask = line(
    (request) => port1.postMessage(request),
    (fn) => port1.addEventListener('message', fn),
  );
  port1.start();
  return ask;
}

const result = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

function openIdb(name) {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => request.result.createObjectStore('values');
  return result(request);
}

/** Puts rows in one transaction that also reads the head, as the guarded writes of the store do. */
function putIdb(db, durability, n, group = 1) {
  const transaction = db.transaction('values', 'readwrite', { durability });
  const values = transaction.objectStore('values');
  values.get('head').onsuccess = () => transaction.commit();
  for (let k = 0; k < group; k++) values.put(RECORD, `pending/${n}/${k}`);
  return new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error);
  });
}

async function each(count, work) {
  const times = [];
  const started = performance.now();
  for (let n = 0; n < count; n++) {
    const begun = performance.now();
    await work(n);
    times.push(performance.now() - begun);
  }
  const all = performance.now() - started;
  times.sort((a, b) => a - b);
  return { perSecond: (1000 * count) / all, p50: times[count >> 1], p99: times[Math.floor(count * 0.99)] };
}

let ask;
let db;
const LINES = { worker: () => ask, channel: byChannel, port: byPort };

window.bench = {
  /** Opens both stores in the leader's tab. */
  lead: async () => {
    db ??= await openIdb('bench-opfs');
    await putIdb(db, 'strict', 0);
    const shared = new SharedWorker('ports.mjs');
    shared.port.onmessage = ({ data }) => ask.worker.postMessage(data, [data.port]);
    shared.port.postMessage({ isLeader: true });
    ask = startWorker();
    await ask('open', { name: 'log', isLocked: true });
    await ask('archive', { bytes: record(131_072) });
    const values = db.transaction('values', 'readwrite').objectStore('values');
    await result(values.put(record(131_072), 'archive'));
  },
  follow: (kind) => {
    ask = LINES[kind]();
  },
  nothing: (count) => each(count, () => ask('nothing')),
  appends: async (count, isAhead) => ({
    perSecond: (1000 * count) / (await ask('appends', { count, bytes: RECORD, isAhead })),
  }),
  puts: (count) => each(count, () => ask('append alone', { bytes: RECORD })),
  grouped: async (count, group) => {
    const groups = await each(count, () =>
      Promise.all(Array.from({ length: group }, () => ask('append', { bytes: RECORD }))),
    );
    return { ...groups, perSecond: groups.perSecond * group };
  },
  parts: (count, length) =>
    each(count, (n) => ask('part', { at: (n * 4096) % (131_072 - length + 1), length })),
  idbPuts: async (count, durability) => {
    db ??= await openIdb('bench-opfs');
    return each(count, (n) => putIdb(db, durability, n));
  },
  idbGrouped: async (count, group, durability) => {
    const groups = await each(count, (n) => putIdb(db, durability, n, group));
    return { ...groups, perSecond: groups.perSecond * group };
  },
  idbWhole: async (count) => {
    db ??= await openIdb('bench-opfs');
    return each(count, () => result(db.transaction('values').objectStore('values').get('archive')));
  },
  /** Writes the state that `open` reads: the rows of 10,000 documents after a compaction. */
  fillOpen: async (bytes) => {
    const own = startWorker();
    await own('open', { name: 'to-open' });
    await own('fill', { bytes: record(bytes) });
    await own('close');
    const to = await openIdb('bench-to-open');
    const values = to.transaction('values', 'readwrite').objectStore('values');
    values.put(record(1000), 'head');
    await result(values.put(record(bytes), 'idx'));
    to.close();
  },
  open: async (isLocked) => {
    const begun = performance.now();
    const own = startWorker();
    await own('nothing');
    const started = performance.now();
    const parts = await own('open', { name: 'to-open', isLocked });
    const total = performance.now() - begun;
    await own('close');
    own.worker.terminate();
    return { start: started - begun, ...parts, 'total without start': total - (started - begun), total };
  },
  openIdb: async () => {
    const begun = performance.now();
    await indexedDB.databases();
    const to = await openIdb('bench-to-open');
    await result(to.transaction('values').objectStore('values').getAllKeys(undefined, 1));
    const values = to.transaction('values').objectStore('values');
    await Promise.all([result(values.get('head')), result(values.get('idx'))]);
    const total = performance.now() - begun;
    to.close();
    return { total };
  },
  openIdbInWorker: async () => {
    const own = startWorker();
    await own('nothing');
    const parts = await own('openIdb');
    own.worker.terminate();
    return parts;
  },
  /** Reads the log in the page, where only the asynchronous interface of OPFS exists. */
  openInPage: async () => {
    const begun = performance.now();
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle('bench-opfs');
    await (await (await folder.getFileHandle('to-open')).getFile()).arrayBuffer();
    return { total: performance.now() - begun };
  },
  /**
   * Opens the store in a follower's tab: asks which tab is the leader, and gets the list of rows.
   */
  openFollowing: async (kind) => {
    const begun = performance.now();
    const own = LINES[kind]();
    await own('nothing');
    const known = performance.now();
    await own('part', { at: 0, length: 131_072 });
    return { known: known - begun, total: performance.now() - begun };
  },
};
