/**
 * Stores keys in a separate IndexedDB database, sealed with a key of this device. Scripts can use
 * the device key, but can't read it. Whether a copy of the profile's files reveals the device key
 * depends on the browser. Object stores of version 2:
 *
 * - `device`: under `wrap`, the device key, a CryptoKey for AES-256-GCM that isn't extractable;
 * - `wrapped`: under each database name, one byte for the version (1), an IV of 12 bytes, then the
 *   ciphertext. It is encrypted with the device key, with the name as additional data. The
 *   plaintext is the concatenated keys, each preceded by its length;
 * - `values`: the same list in plaintext, as version 1 stored it. A list that is found there is
 *   wrapped, then removed.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { equalBytes, utf8 } from '../../base/bytes.ts';
import type { KeyBag, KeyMaterials } from '../../ports/key-bag.ts';
import { completed, resultOf } from './transaction.ts';

/**
 * Differs from the name that other clients of the format use, so that their data is never touched.
 */
const STORAGE_NAME = 'fixpoint-keybag';
const DATABASE_VERSION = 2;
const ENTRY_VERSION = 1;
const IV_BYTES = 12;
const STORES = ['device', 'wrapped', 'values'] as const;
const ATTEMPTS_MAX = 50;

type Bytes = Uint8Array<ArrayBuffer>;

export function indexedDbKeyBag(): KeyBag {
  async function withBag<T>(work: (bag: IDBDatabase) => Promise<T>): Promise<T> {
    const bag = await openBag();
    try {
      return await work(bag);
    } catch (cause) {
      throw isFixpointError(cause) ? cause : new FixpointError('KEY_UPSERT', undefined, { cause });
    } finally {
      bag.close();
    }
  }

  async function update(
    bag: IDBDatabase,
    database: string,
    change: (keys: KeyMaterials) => KeyMaterials,
  ): Promise<KeyMaterials> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const { wrapped, clear } = await readEntry(bag, database);
      const key = await deviceKey(bag);
      const changed = change(wrapped ? await unwrap(key, database, wrapped) : split(clear));
      if (await replaceEntry(bag, database, wrapped, await wrap(key, database, changed))) return changed;
    }
    throw new FixpointError('KEY_UPSERT', 'other tabs were always faster');
  }

  return {
    load: (database) =>
      withBag(async (bag) => {
        const { wrapped, clear } = await readEntry(bag, database);
        if (wrapped !== undefined) return unwrap(await deviceKey(bag), database, wrapped);
        return clear === undefined ? [] : update(bag, database, (keys) => keys);
      }),
    update: (database, change) => withBag((bag) => update(bag, database, change)),
    changePassphrase: async () => {
      throw new FixpointError('NOT_IMPLEMENTED', 'in a browser the key of the device guards the keys');
    },
  };
}

function openBag(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(STORAGE_NAME, DATABASE_VERSION);
    request.onupgradeneeded = () => {
      const { result } = request;
      for (const name of STORES) if (!result.objectStoreNames.contains(name)) result.createObjectStore(name);
    };
    request.onsuccess = () => {
      // Close the bag when another tab wants to delete or upgrade it.
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = () => {
      const code = request.error?.name === 'VersionError' ? 'FORMAT_NEWER' : 'STORE_UNREADABLE';
      reject(new FixpointError(code, 'key bag', { cause: request.error }));
    };
  });
}

async function readEntry(bag: IDBDatabase, database: string) {
  const transaction = bag.transaction(['wrapped', 'values'], 'readonly');
  const [wrapped, clear] = await Promise.all([
    resultOf(transaction.objectStore('wrapped').get(database)),
    resultOf(transaction.objectStore('values').get(database)),
  ]);
  return { wrapped: bytesOf(wrapped), clear: bytesOf(clear) };
}

/**
 * Returns the device key. Creates one if no entry is wrapped yet.
 * @throws FixpointError KEY_NOT_EXTRACTABLE when the device key is missing but entries are wrapped
 */
async function deviceKey(bag: IDBDatabase): Promise<CryptoKey> {
  const read = (transaction: IDBTransaction) => resultOf(transaction.objectStore('device').get('wrap'));
  const known: unknown = await read(bag.transaction('device', 'readonly'));
  if (known instanceof CryptoKey) return known;
  const made = await subtle().generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
  const transaction = bag.transaction(['device', 'wrapped'], 'readwrite', { durability: 'strict' });
  const done = completed(transaction);
  const [before, count] = await Promise.all([
    read(transaction),
    resultOf(transaction.objectStore('wrapped').count()),
  ]);
  if (before === undefined && count === 0) transaction.objectStore('device').put(made, 'wrap');
  await done;
  if (before instanceof CryptoKey) return before;
  if (before !== undefined || count > 0)
    throw new FixpointError('KEY_NOT_EXTRACTABLE', 'the key of this device is gone');
  return made;
}

/** Returns false if another tab changed the entry first. */
async function replaceEntry(
  bag: IDBDatabase,
  database: string,
  before: Uint8Array | undefined,
  after: Uint8Array,
): Promise<boolean> {
  const transaction = bag.transaction(['wrapped', 'values'], 'readwrite', { durability: 'strict' });
  const done = completed(transaction);
  const found = bytesOf(await resultOf(transaction.objectStore('wrapped').get(database)));
  const isSame = found && before ? equalBytes(found, before) : found === before;
  if (isSame) {
    transaction.objectStore('wrapped').put(after, database);
    transaction.objectStore('values').delete(database);
  }
  await done;
  return isSame;
}

async function wrap(key: CryptoKey, database: string, keys: KeyMaterials): Promise<Uint8Array> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const plain = Uint8Array.from(keys.flatMap((one) => [one.length, ...one]));
  const data = await subtle().encrypt(gcm(iv, database), key, plain);
  return Uint8Array.of(ENTRY_VERSION, ...iv, ...new Uint8Array(data));
}

/** @throws FixpointError CORRUPT, FORMAT_NEWER */
async function unwrap(key: CryptoKey, database: string, entry: Uint8Array): Promise<KeyMaterials> {
  const [version = 0] = entry;
  if (version > ENTRY_VERSION) throw new FixpointError('FORMAT_NEWER', 'key bag');
  if (version !== ENTRY_VERSION) throw new FixpointError('CORRUPT', 'key bag');
  const iv = entry.slice(1, 1 + IV_BYTES);
  try {
    const plain = await subtle().decrypt(gcm(iv, database), key, entry.slice(1 + IV_BYTES));
    return split(new Uint8Array(plain));
  } catch (cause) {
    throw new FixpointError('CORRUPT', 'key bag', { cause });
  }
}

const gcm = (iv: Bytes, database: string): AesGcmParams => ({
  name: 'AES-GCM',
  iv,
  additionalData: utf8(database) as Bytes,
});

/** @throws FixpointError CORRUPT */
function split(bytes: Uint8Array | undefined): Uint8Array[] {
  const keys: Uint8Array[] = [];
  for (let at = 0; bytes !== undefined && at < bytes.length; ) {
    const length = bytes[at] ?? 0;
    if (length === 0 || at + 1 + length > bytes.length) throw new FixpointError('CORRUPT', 'key bag');
    keys.push(bytes.slice(at + 1, at + 1 + length));
    at += 1 + length;
  }
  return keys;
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (value === undefined || value instanceof Uint8Array) return value;
  throw new FixpointError('CORRUPT', 'key bag');
}

/** @throws FixpointError NOT_IMPLEMENTED */
function subtle(): SubtleCrypto {
  const found = (crypto as Partial<Crypto>).subtle;
  if (found === undefined)
    throw new FixpointError(
      'NOT_IMPLEMENTED',
      'encryption here: the page must come over https or from localhost',
    );
  return found;
}
