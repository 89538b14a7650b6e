/**
 * The prototype of a store in OPFS: one log file with an exclusive synchronous access handle. It
 * answers requests of its tab by messages, and those of other tabs by a BroadcastChannel or a port.
 */
const FOLDER = 'bench-opfs';
let log;
let archive;
let end = 0;

const HOW = {
  open: async ({ name, isLocked }) => {
    const started = performance.now();
    if (isLocked)
      await new Promise((resolve) => {
        void navigator.locks.request(`bench:${name}`, () => {
          resolve();
          return new Promise(() => undefined);
        });
      });
    const locked = performance.now();
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle(FOLDER, { create: true });
    const file = await folder.getFileHandle(name, { create: true });
    const found = performance.now();
    log = await file.createSyncAccessHandle();
    const opened = performance.now();
    end = log.getSize();
    const bytes = new Uint8Array(end);
    log.read(bytes, { at: 0 });
    const read = performance.now();
    return { lock: locked - started, folder: found - locked, handle: opened - found, read: read - opened };
  },
  archive: async ({ bytes }) => {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle(FOLDER, { create: true });
    archive = await (await folder.getFileHandle('archive', { create: true })).createSyncAccessHandle();
    archive.write(bytes, { at: 0 });
    archive.flush();
  },
  /** Writes bytes for the next `open`. */
  fill: ({ bytes }) => {
    log.truncate(0);
    log.write(bytes, { at: 0 });
    log.flush();
    end = bytes.length;
  },
  part: ({ at, length }) => {
    const bytes = new Uint8Array(length);
    archive.read(bytes, { at });
    return bytes;
  },
  nothing: () => undefined,
  /** Appends records without any messages, at the end of the log or over zeros written before. */
  appends: ({ count, bytes, isAhead }) => {
    if (isAhead) {
      log.write(new Uint8Array(count * bytes.length), { at: end });
      log.flush();
    }
    const started = performance.now();
    for (let n = 0; n < count; n++) {
      log.write(bytes, { at: end });
      end += bytes.length;
      log.flush();
    }
    return performance.now() - started;
  },
  /** Opens IndexedDB in this worker, as `openIdb` of page.mjs does in a page. */
  openIdb: async () => {
    const result = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
    const begun = performance.now();
    await indexedDB.databases();
    const to = await result(indexedDB.open('bench-to-open', 1));
    await result(to.transaction('values').objectStore('values').getAllKeys(undefined, 1));
    const values = to.transaction('values').objectStore('values');
    await Promise.all([result(values.get('head')), result(values.get('idx'))]);
    const total = performance.now() - begun;
    to.close();
    return { total };
  },
  close: () => {
    log?.close();
    archive?.close();
  },
};

/** Appends that arrived in one turn of the event loop, or while a flush ran, share one flush. */
let waiting = [];
const turns = new MessageChannel();
turns.port1.onmessage = () => {
  const now = waiting;
  waiting = [];
  for (const { bytes } of now) {
    log.write(bytes, { at: end });
    end += bytes.length;
  }
  log.flush();
  for (const { answer } of now) answer(undefined);
};

function receive(request, answer) {
  if (request.how === 'append') {
    waiting.push({ bytes: request.bytes, answer });
    if (waiting.length === 1) turns.port2.postMessage(0);
  } else if (request.how === 'append alone') {
    log.write(request.bytes, { at: end });
    end += request.bytes.length;
    log.flush();
    answer(undefined);
  } else void Promise.resolve(HOW[request.how](request)).then(answer);
}

self.onmessage = ({ data }) =>
  receive(data, (result) => postMessage({ id: data.id, result }, result?.buffer ? [result.buffer] : []));
const channel = new BroadcastChannel('bench-opfs');
channel.onmessage = ({ data }) => {
  if (data.how !== undefined)
    receive(data, (result) => channel.postMessage({ id: data.id, to: data.from, result }));
};
/** A port of another tab, which a SharedWorker passed on. */
addEventListener('message', ({ data }) => {
  if (data.how !== 'port') return;
  data.port.onmessage = ({ data: request }) =>
    receive(request, (result) => data.port.postMessage({ id: request.id, result }));
});
HOW.port = () => undefined;
