/**
 * Devices of a sealed ledger with a membership log, each with its own rows. They exchange only the
 * list of texts of a gateway, which a test can change for each device.
 */
import { FixpointError } from '@fixpoint/protocol';
import {
  decodeEntry,
  type EntryFields,
  type EntryId,
  isEntryText,
  type LogEntry,
  ledgerBytes,
  parseKeyRecord,
} from '@fixpoint/protocol/storage';
import { utf8 } from '../../base/bytes.ts';
import { newPair } from '../../base/p256.ts';
import { signerOf } from '../../base/signatures.ts';
import { sha256 } from '../../codec/sha256.ts';
import type { Commits } from '../../commit/commits-interface.ts';
import { createLocalRows } from '../../commit/local-rows.ts';
import { readDeviceCode } from '../../crypto/device-pair.ts';
import { makeGrant, newLogCode } from '../../crypto/grant.ts';
import { encodeRecord } from '../../crypto/ledger-key-records.ts';
import type { LedgerKeys } from '../../crypto/ledger-keys.ts';
import { evaluate } from '../../membership/evaluate.ts';
import { newEntry, placeOf } from '../../membership/form/new-entry.ts';
import { bytesOf, deviceFields, personFields } from '../../membership/form/signed-log.fixture.ts';
import { recipientsIn } from '../../membership/keys.ts';
import { memoryStore } from '../../platform/memory-store.ts';
import type { StoreChange } from '../../ports/byte-store.ts';
import type { Platform } from '../../ports/platform.ts';
import type { Random } from '../../ports/random.ts';
import { localKey } from '../../store/names.ts';
import { seededRandom } from '../../testing/seeded-random.ts';
import { type SimulatedTime, simulatedTime } from '../../testing/simulated-time.ts';
import { createRemoteMemory } from '../ledger/remote-memory.ts';
import { openSealedLedger, type SealedLedgerParts } from '../ledger/sealed-ledger.ts';
import { startLog } from '../ledger/start-log.ts';
import type { Connection, MemberOptions, Target } from '../transport/connection.ts';

export const LEDGER = ledgerBytes('tenant', 'ledger');
const TARGET = { gateway: new URL('http://g.test/fp'), tenant: 'tenant', ledger: 'ledger' } as Target;

export type TestDevice = Awaited<ReturnType<typeof openTestDevice>>;

const textOfKey = (pub: Uint8Array) => Buffer.from(pub).toString('base64url');

/**
 * Returns the gateway's report that somebody with access announced all devices and codes.
 * @param users the user ids by public keys
 */
const saidOf = (texts: readonly string[], users: ReadonlyMap<string, string>) =>
  texts.flatMap((text) => {
    const record = parseKeyRecord(text);
    const isOwn = record?.t === 'device' || (record?.t === 'grant' && record.locked !== undefined);
    if (!isOwn) return [];
    const [pub, user] = [textOfKey(record.pub), users.get(textOfKey(record.pub))];
    return [{ pub, ...(user !== undefined && { user }) }];
  });

interface TestPlace {
  readonly random: Random;
  readonly time: SimulatedTime;
  readonly list: ReadonlySet<string>;
  /** Requests that were removed. The gateway reports those that aren't listed again. */
  readonly withdrawn: ReadonlySet<string>;
  /** The user ids that the gateway reports, by public keys of devices. */
  readonly users: Map<string, string>;
  readonly connection: Connection;
  readonly members: MemberOptions | undefined;
}

async function openTestDevice(
  { random, time, list, withdrawn, users, connection, members }: TestPlace,
  user: string,
  values: Map<string, Uint8Array>,
  isOpen = false,
) {
  const reports: { code?: string }[] = [];
  const signerRow = localKey('signer');
  const signing = await newPair(sha256(utf8(`signer of ${user}`)));
  if (!values.has(signerRow)) values.set(signerRow, signing.both);
  const platform = { random, time, report: (error: object) => void reports.push(error) };
  /** Called before rows are stored. A test can fail or delay it. */
  const storing: { before: (rows: readonly StoreChange[]) => Promise<void> } = { before: async () => {} };
  const store = memoryStore(values);
  const commits = {
    device: async () => undefined,
    local: createLocalRows(store),
    remembered: (prefix: string) => store.readPrefix(prefix),
    markUploaded: async (_: unknown, rows: readonly StoreChange[]) => {
      await storing.before(rows);
      await store.write(rows);
    },
    snapshot: () => ({ head: [] }),
    refresh: async () => false,
    readers: {},
    archiveOf: () => undefined,
    pendingUploads: async () => [],
    mergeRemote: async () => undefined,
  } as unknown as Commits;
  const memory = createRemoteMemory('r');
  const ended = new AbortController();
  if (!isOpen) ended.abort();
  const target = { ...TARGET, members };
  const opened = await openSealedLedger({
    followsLogs: true,
    ...{ platform: platform as unknown as Platform, commits, memory, target, wanted: 'sealed' },
    sync: () => ({
      link: { connection: () => connection, refresh: async () => undefined },
      session: undefined as never,
    }),
    signal: ended.signal,
  } satisfies SealedLedgerParts);
  const { keys, sealing } = opened;
  const signer = await signerOf(signing.both);
  let code = '';
  const own = textOfKey(keys.pair.publicKey);
  if (!users.has(own)) users.set(own, user);
  return {
    ...{ user, values, reports, storing, keys: keys as LedgerKeys, opened, signer },
    close: () => ended.abort(),
    /** Returns the recovery code that the founder kept. */
    code: () => code,
    seal: keys.pair.publicKey,
    /** Hears a list, by default everything. The gateway reports the devices that announced it. */
    hear: async (texts: Iterable<string> = list, devices = saidOf([...texts], users)) => {
      const all = [...texts];
      const removed = [...withdrawn].filter((text) => !list.has(text));
      const rejected = saidOf(removed, users).flatMap((one) => (one.user === user ? [one.pub] : []));
      await sealing.learn(all, { keyList: all, devices, rejected });
      await opened.join({ keys: all, metas: [] }, true);
    },
    start: async () => {
      code = newLogCode(random);
      await startLog({
        ...{ platform: platform as unknown as Platform, keys, target: TARGET, connection },
        ...{ user, name: user, code, cut: async () => [] },
        refresh: async () => void (await keys.learn([...list])),
      });
    },
    /** Returns the code of an error of sealing, or the id of the key that seals. */
    seals: () => {
      try {
        return keys.current().name;
      } catch (cause) {
        return (cause as { code: string }).code;
      }
    },
    /** Prepares a send: renews the key if needed, and returns the id of the key that then seals. */
    sends: async (): Promise<string> => {
      await opened.renewKey();
      return keys.current().name;
    },
  };
}

/** @param members the options of all devices */
export function logWorld(seed: number, members?: MemberOptions) {
  const random = seededRandom(seed);
  const time = simulatedTime();
  /** Everything that the gateway ever received. */
  const list = new Set<string>();
  const withdrawn = new Set<string>();
  const users = new Map<string, string>();
  /** Makes the gateway report another user of a device. */
  const saysUser = ({ seal }: TestDevice, user: string) => void users.set(textOfKey(seal), user);
  /** Texts of the last put, by which a test sees what a device sent in one request. */
  const puts: (readonly string[])[] = [];
  /**
   * Makes the next put fail, or all later ones: the gateway stores it and its answer is lost, or
   * neither happens.
   */
  const fault: { next?: 'answer lost' | 'put lost' | undefined; isLasting?: boolean } = {};

  const connection = {
    request: async (type: string, _: string, fields: { meta?: { keys: readonly string[] } }) => {
      if (type === 'reqGestalt') return { gestalt: { features: ['membership-log'] } };
      const keys = fields.meta?.keys ?? [];
      if (type !== 'reqPutMeta') return {};
      const { next } = fault;
      if (fault.isLasting !== true) fault.next = undefined;
      puts.push(keys);
      if (next !== 'put lost') for (const text of keys) list.add(text);
      if (next !== undefined) throw new FixpointError('TIMEOUT');
      return {};
    },
  } as unknown as Connection;

  const device = (user: string, values = new Map<string, Uint8Array>()) =>
    openTestDevice({ random, time, list, withdrawn, users, connection, members }, user, values);

  /** Opens a device again, with its timers, until it is closed. */
  const opened = ({ user, values }: Pick<TestDevice, 'user' | 'values'>) =>
    openTestDevice({ random, time, list, withdrawn, users, connection, members }, user, values, true);

  /** Opens a device again from its rows. */
  const again = ({ user, values }: Pick<TestDevice, 'user' | 'values'>) => device(user, values);

  const entriesIn = (texts: Iterable<string>): LogEntry[] =>
    [...texts].filter(isEntryText).map((text) => decodeEntry(text, sha256).entry);
  const fieldsOf = (text: string): EntryFields => decodeEntry(text, sha256).fields;
  const startIn = (): EntryId => entriesIn(list).find(({ kind }) => kind === 'start')?.id as EntryId;

  /** Signs an entry with the key of a device, whatever that device would do. */
  async function sign(by: TestDevice, fields: EntryFields, seen: Iterable<string> = list) {
    const membership = evaluate(entriesIn(seen), startIn());
    const key = Buffer.from(by.signer.publicKey).toString('hex');
    const [seat] = membership.seats.ofKey(key);
    if (seat === undefined) throw new Error('no seat');
    return newEntry(placeOf(membership, seat), LEDGER, fields, by.signer, time.now());
  }

  const put = (...texts: readonly string[]) => {
    for (const text of texts) list.add(text);
  };

  /** Returns the grant of the current key of a device, which contains the id of the log. */
  async function grant(by: TestDevice, to: TestDevice, log = by.keys.log()): Promise<string> {
    const { secret } = readDeviceCode(to.keys.code());
    const current = by.keys.current();
    const parts = { ledger: LEDGER, random, keys: [current], current, ...(log && { log }) };
    return encodeRecord(await makeGrant(parts, to.seal, secret));
  }

  /** Admits a person with a new device. */
  async function admitted(by: TestDevice, user: string, role: string): Promise<TestDevice> {
    const made = await device(user);
    put(made.keys.announcement());
    const { seen = [], ...fields } = await personFields(user, made);
    const compared = role === 'admin' ? { seen } : {};
    put(...(await sign(by, { t: 'person', ...fields, ...compared, role })), await grant(by, made));
    await by.hear();
    await made.hear();
    return made;
  }

  const personOf = ({ user }: TestDevice): EntryId =>
    entriesIn(list).find((entry) => 'user' in entry && entry.user === user)?.id as EntryId;

  /** Returns the entry that introduced a device. */
  const seatOf = ({ signer }: TestDevice): EntryId => {
    const key = Buffer.from(signer.publicKey).toString('hex');
    return entriesIn(list).find((entry) => 'device' in entry && entry.device.sign === key)?.id as EntryId;
  };

  /** Adds a device to the person of another one. */
  const deviceEntry = async (by: TestDevice, of: TestDevice, keys: Parameters<typeof deviceFields>[1]) =>
    sign(by, {
      ...{ t: 'device', person: bytesOf(personOf(of)), name: utf8('more') },
      ...(await deviceFields(of.user, keys)),
    });

  /** Returns the sealing keys that the rules give to a next entry after these texts. */
  const recipients = (seen: Iterable<string> = list): readonly Uint8Array[] =>
    recipientsIn(evaluate(entriesIn(seen), startIn())).map(bytesOf);

  async function team() {
    const F = await device('F');
    await F.hear([]);
    await F.start();
    await F.hear();
    const [W, X, R] = [
      await admitted(F, 'W', 'write'),
      await admitted(F, 'X', 'write'),
      await admitted(F, 'R', 'read'),
    ];
    for (const one of [F, W, X, R]) await one.hear();
    return { F, W, X, R };
  }

  return {
    ...{ random, time, list, puts, device, sign, put, grant, admitted, personOf, seatOf, deviceEntry, team },
    ...{ entriesIn, recipients, fieldsOf, again, opened, fault, saysUser },
    /** Removes texts as a user does; the gateway reports removed requests. */
    withdraw: (...texts: readonly string[]) => {
      for (const text of texts) if (list.delete(text)) withdrawn.add(text);
    },
    /** The list with the first entry of the log only. */
    get first() {
      return [...list].filter((text) => entriesIn([text])[0]?.kind === 'start');
    },
  };
}
