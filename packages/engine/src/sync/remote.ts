import type { FixpointError } from '@fixpoint/protocol';
import type { MovedTo, Role } from '@fixpoint/protocol/storage';
import type { Commits } from '../commit/commits-interface.ts';
import type {
  LedgerAdmission,
  LedgerDevice,
  LedgerKeyring,
  Named,
  ReplacedCode,
  UnconfirmedEntry,
} from '../crypto/ledger-keys.ts';
import type { Platform } from '../ports/platform.ts';
import type { LedgerKind } from './ledger/ledger-sealing.ts';
import type { Listed } from './ledger/listed-entries.ts';
import type { Session } from './sync-session.ts';
import type { MemberOptions } from './transport/connection.ts';

/**
 * The state of a sync. `refused`: the remote refuses requests, and only a new token, another right
 * or another ledger helps. `store-lost`: the data of this device was removed while the database was
 * open. Syncing has stopped, and the error of the status is STORE_LOST.
 */
export type SyncState = 'offline' | 'connecting' | 'catching-up' | 'in-sync' | 'refused' | 'store-lost';

/** The state of a sync, and the number of pending archives. */
export interface SyncStatus {
  readonly state: SyncState;
  /** Number of archives to upload. */
  readonly toSend: number;
  /** Number of archives to download. Includes unreadable archives, which are retried. */
  readonly toFetch: number;
  /**
   * Number of entries of the ledger that nobody can read; absent if zero. These entries don't block
   * others. An admin of the tenant can remove them.
   */
  readonly rejected?: number;
  /**
   * The reason, if known, why the state is `refused`, `offline` or `store-lost`, or why archives
   * are pending.
   */
  readonly error?: FixpointError;
  /**
   * Number of changes of the keys of a sealed ledger since the database was attached; absent before
   * the first one. After each change, `devices.keyring()` returns something else.
   */
  readonly keys?: number;
  /**
   * The ledger of the same tenant that this one moved to, and its kind, as the server says. Sync
   * continues with this ledger. Ask your user before you attach to the other one: a server could
   * name an open-key ledger, which it can read.
   */
  readonly movedTo?: MovedTo;
}

/** A database that syncs with a ledger. */
export interface Attached {
  /** Returns the current status. */
  status(): SyncStatus;
  /** Calls `fn` after each change of the status. Returns a function that unsubscribes. */
  onStatus(fn: (status: SyncStatus) => void): () => void;
  /**
   * Resolves when the remote has everything that is durable on this device now, and this device has
   * everything that the remote lists now. Doesn't wait for later writes. While offline, waits.
   * @throws FixpointError when the remote refuses, when some of its data stays unreadable, and
   * CONNECTION_NOT_OPEN after `detach`
   */
  synced(): Promise<void>;
  /**
   * Describes the content of the ledger, from a complete listing over a separate connection.
   * @throws FixpointError when the server can't be reached, or refuses
   */
  held(): Promise<LedgerHoldings>;
  /**
   * Lists the entries of the ledger that don't sync, each with the current reason.
   * @throws FixpointError when the server cannot be reached, or refuses
   */
  withheld(): Promise<readonly WithheldEntry[]>;
  /**
   * Removes entries from the ledger for everybody. Content that only these entries have is lost.
   * @throws FixpointError FORBIDDEN unless you are an admin of the tenant, or the reason why the
   * server cannot be reached
   */
  removeEntries(cids: readonly string[]): Promise<void>;
  /** Returns the kind of the ledger; undefined until the remote has responded. */
  kind(): LedgerKind | undefined;
  /** Devices and keys of a sealed ledger. */
  readonly devices: LedgerDevices;
  /** The clients that are in the ledger now. */
  readonly presence: PresenceDoor;
  /**
   * Ends the sync. The database keeps its data, and pending uploads wait for the next attachment.
   */
  detach(): Promise<void>;
}

/** The entrance to the presence of a ledger. */
export interface PresenceDoor {
  /**
   * Enters with a state, or without one to only see the others. Everyone who may read the ledger
   * may enter. The clients that entered see each other's states, which are encrypted with a key of
   * the ledger and never stored. If this client entered before, the returned object shares its
   * connection and its state. Loads more code on the first call.
   * @throws FixpointError REQUEST_INVALID when the state isn't an object that JSON can represent,
   * LIMIT_REACHED when it has more than 1,400 bytes of JSON, CONNECTION_NOT_OPEN after `detach`
   */
  enter<T extends object = Record<string, unknown>>(state?: T): Promise<Presence<T>>;
}

/** A client that is present in a ledger: one tab, or one process. */
export interface PresentClient<T = object> {
  /** Text that no other client has, new after each reconnect. */
  readonly id: string;
  /** Id of the user, as the gateway reports it. */
  readonly user: string;
  /** The last state that the client sent. Check it, because clients may send any object. */
  readonly state: T;
}

/**
 * `connecting`: not connected at the moment; the client enters again by itself, and `others` is
 * empty until then. `present`: others see this client, if it has a state. `refused`: the error says
 * why others don't see this client; it keeps trying. `unsupported`: the server has no presence.
 */
export interface PresenceStatus {
  readonly state: 'connecting' | 'present' | 'refused' | 'unsupported';
  readonly error?: FixpointError;
}

/** This client's place among the clients that are present in a ledger. */
export interface Presence<T = object> {
  /** The state of this client; undefined while it only watches. */
  readonly me: T | undefined;
  /**
   * The other clients that are present, by id. The map and its entries are the same objects until
   * they change. Empty while there is no connection.
   */
  readonly others: ReadonlyMap<string, PresentClient<T>>;
  /** Returns whether others see this client. */
  status(): PresenceStatus;
  /**
   * Replaces the state. At most ten states a second are sent, always with the latest one.
   * @throws FixpointError REQUEST_INVALID, LIMIT_REACHED as `enter` does, CONNECTION_NOT_OPEN after
   * `leave`
   */
  set(state: T): void;
  /** Calls `fn` when `me`, `others` or the status changed. Returns a function that unsubscribes. */
  subscribe(fn: () => void): () => void;
  /**
   * Leaves. Others no longer see this client once each object that `enter` returned has left, or
   * the connection ends.
   */
  leave(): void;
  /** Resolves after `leave` or `detach`. */
  readonly ended: Promise<void>;
}

/** An entry of a ledger that doesn't sync. */
export interface WithheldEntry {
  /** Identifies the entry. For a damaged entry, this may be any text or empty. */
  readonly cid: string;
  /**
   * `malformed`: nobody can read the entry. `unreadable`: this device can't read it. `absent`:
   * objects that the entry needs are missing or damaged at the server. `files`: this isn't an
   * entry, but reports missing files of documents.
   */
  readonly why: string;
  /** The missing or damaged objects, if they are the reason. */
  readonly objects?: readonly string[];
  /** The id of the user who wrote the entry. Only admins of the tenant receive this id. */
  readonly author?: string;
  /** When the server received the entry, in ms since 1970. */
  readonly since?: number;
}

/**
 * The content of a ledger, as far as this device can know. The ledger lists entries. An entry has a
 * head and names archives, but has no sizes or times.
 */
export interface LedgerHoldings {
  /** Number of listed entries: the last entry of each device that wrote. */
  readonly entries: number;
  /** Number of entries whose head couldn't be read. `head` doesn't include their heads. */
  readonly unread: number;
  /** The merged head of the entries, including the events in `missing`. */
  readonly head: readonly string[];
  /** Events in `head` that this device doesn't have. */
  readonly missing: readonly string[];
  /**
   * Number of commits on this device that the ledger's head doesn't include. Undefined while heads
   * of entries are missing or unread, because their ancestors are unknown. If this device's history
   * and the ledger's diverged long ago, the number may be too high.
   */
  readonly unsent: number | undefined;
  /** Number of objects that entries need and that are missing or damaged in the ledger's store. */
  readonly absent: number;
  /** Number of archives that the entries need. */
  readonly archives: number;
  /** Total length of these archives before sealing, without the archives that `unsized` counts. */
  readonly bytes: number;
  /** Number of archives whose length is unknown. */
  readonly unsized: number;
  /** Number of archives that were merged into others. They stay at the remote. */
  readonly replaced: number;
  /**
   * When this device first learned of one of the archives, in ms since 1970; undefined without
   * archives.
   */
  readonly knownSince: number | undefined;
}

/**
 * Manages the devices that hold the keys of a sealed ledger.
 * @throws FixpointError LEDGER_KIND when the ledger isn't sealed, and the refusals of the remote
 */
export interface LedgerDevices {
  /** Returns whether this device is approved. */
  isApproved(): boolean;
  /**
   * Returns the state of the keys on this device, without a request to the remote. Returns
   * undefined before the remote has responded, or while another tab or process syncs.
   */
  keyring(): Promise<LedgerKeyring | undefined>;
  /**
   * Returns the code of this device. To approve this device, an approved device calls `approve`
   * with the code.
   */
  code(): Promise<string>;
  /**
   * Lists the recovery codes and the devices that have the keys, each with the user who announced
   * it and the time.
   */
  list(): Promise<readonly LedgerDevice[]>;
  /**
   * Gives all keys to the device with this code. In a ledger with a membership log, also adds the
   * recovery code that a member asked for, or accepts a change that doesn't count yet.
   * @param code the code of the device, or an id in `keyring().log`: that of a request for a code,
   * of an earlier device, or of an event in `withheld`
   * @param admission who the user of the device is. Only ledgers with a membership log need it, for
   * devices of other users. To add a device to a member, pass the member's name and role
   * @throws FixpointError REQUEST_INVALID when the code is mistyped, NOT_FOUND when no device with
   * this code asks for approval; in a ledger with a log also FORBIDDEN when the rules don't let you
   * add the device, LEDGER_NOT_COMPARED, REQUEST_INVALID when the admission is missing or isn't the
   * member's, and FORMAT_NEWER when the other device runs an earlier version. LEDGER_NOT_COMPARED
   * also while `keyring().log.unconfirmed` lists members
   */
  approve(code: string, admission?: LedgerAdmission): Promise<void>;
  /**
   * Removes devices: from now on, data is sealed with a new key, which all other devices receive.
   * The removed devices keep the keys that they had. In a ledger with a membership log, this device
   * leaves if you pass its own id. The other members create the new key then.
   * @throws FixpointError FORBIDDEN for a device of another user who still has access, unless you
   * are an admin of the tenant; in a ledger with a log FORBIDDEN when its rules don't let you
   * remove the device
   */
  remove(ids: readonly string[]): Promise<void>;
  /**
   * Rejects requests in `keyring().asking`. The devices ask again only when they call `ask`.
   * @throws FixpointError FORBIDDEN for others if you aren't an admin, CONFLICT if answered
   */
  reject(ids: readonly string[]): Promise<void>;
  /** Asks for approval again, after an admin rejected the request of this device. */
  ask(): Promise<void>;
  /**
   * Creates a recovery code, which opens the ledger when all devices are lost. Keep the code apart
   * from your devices, so that a thief doesn't get both. Earlier codes stay valid. In a ledger with
   * a membership log, the code becomes valid when an admin above you confirms it, and your earlier
   * code then ends: see `keyring().log.codeRequests`.
   * @param replaced in a ledger with a membership log, your code that this call replaces, and the
   * next one. The previous code is then worthless
   * @throws FixpointError FORBIDDEN for the founder of a membership log without `replaced`, because
   * no admin is above them; with it REQUEST_INVALID or KEY_UNKNOWN for a wrong code,
   * DEVICE_NOT_APPROVED when it is no longer valid, FORBIDDEN when it belongs to somebody else or
   * added this device
   */
  newRecoveryCode(replaced?: ReplacedCode): Promise<string>;
  /**
   * Approves this device with a recovery code.
   * @throws FixpointError REQUEST_INVALID, KEY_UNKNOWN
   */
  recover(code: string): Promise<void>;
  /**
   * Creates a recovery code for `startLog`, or for `newRecoveryCode` in a ledger with a log. The
   * code isn't valid before that. Show it to the user, and continue when the user has saved it.
   * @throws FixpointError NOT_IMPLEMENTED when the server doesn't keep logs, or this platform can't
   * sign; CONFLICT when the ledger has a log that doesn't have this device; LEDGER_OTHER_LOG when
   * the database belongs to the log of another ledger; DEVICE_NOT_APPROVED
   */
  newLogCode(): Promise<string>;
  /**
   * Starts the membership log of the ledger: a signed list of its members and their devices, which
   * the server can't change. The user of this device becomes the founder, and the code of
   * `newLogCode` their recovery code. All other devices and earlier recovery codes must be approved
   * again: they lose access with the next new key. Nobody can take a log back once it has another
   * member.
   * @throws FixpointError FORBIDDEN unless you are an admin of the tenant; REQUEST_INVALID for a
   * mistyped code or a name that isn't valid; CONFLICT when the ledger has a log, also one that an
   * earlier call started with its own code; as `newLogCode` does
   */
  startLog(founder: LogFounder): Promise<void>;
  /**
   * Gives another role to a member of the log.
   * @param user the user id of the member
   * @throws FixpointError NOT_FOUND, FORBIDDEN when the rules of the log don't let you,
   * LEDGER_NOT_COMPARED, NOT_IMPLEMENTED without a log
   */
  setRole(user: string, role: Role): Promise<void>;
  /**
   * Says whether a log is that of the ledger, after you compared the safety number with a member:
   * while `log.isCompared` of the keyring is false, or for entries of `log.unconfirmed`.
   * @param log the `id` of the log
   * @param isRight true makes this device follow the log for good. False makes it ignore the log.
   * If you are an admin of the tenant, false also withdraws a log that has no other entry
   * @param unconfirmed entries that the user was shown before comparing the number with the member
   * @throws FixpointError NOT_FOUND when the ledger doesn't list this log; CONFLICT when this
   * device follows a log; FORBIDDEN when it follows this one and you aren't an admin of the tenant
   */
  compareLog(log: string, isRight: boolean, unconfirmed?: readonly UnconfirmedEntry[]): Promise<void>;
  /**
   * Gives a member of the log, or a device of the ledger, a name that only this device shows:
   * `yourName` in `keyring().log.members` and `list()`. Nothing depends on it, and the signed name
   * stays. A person who is admitted with the same user id later doesn't get it.
   * @param of the user id of the member, or the id of the device
   * @param name at most 200 bytes; empty removes the name that you gave before
   * @throws FixpointError NOT_FOUND; REQUEST_INVALID for a name that isn't valid; LIMIT_REACHED
   */
  rename(of: Named, name: string): Promise<void>;
}

/** The person who starts a membership log. */
export interface LogFounder {
  /** The name that members see. */
  readonly name: string;
  /** The recovery code that the user saved, from `newLogCode`. */
  readonly code: string;
}

/** Returns a list of entries that also stores what the remote reports. */
export type WatchListed = (
  listed: Listed,
  session: Pick<Session, 'commits' | 'platform' | 'target' | 'memory' | 'signal'>,
) => Listed;

/** The ledger that a database attaches to, and the user's token. */
export interface CloudOptions {
  /**
   * Address of the cloud, such as `https://cloud.example` or `fpcloud://host?protocol=wss`; in
   * Node, the default is the variable FP_STORAGE_URL.
   */
  readonly base?: string;
  /** The id of the tenant. */
  readonly tenant: string;
  /** The id of the ledger. */
  readonly ledger: string;
  /**
   * A cloud token, or a function that fetches a token. The function is called again before a token
   * expires.
   */
  readonly token: string | (() => Promise<string>);
  /**
   * `sealed`: only approved devices receive keys, and the cloud can't decrypt anything. `open-key`:
   * the cloud receives keys too, as existing clients of the protocol send them. Set the kind:
   * without it, the server decides on the first attach, and a server that chooses `open-key`
   * receives the database's key. Each device remembers the kind, and rejects a ledger of the other
   * kind with LEDGER_KIND. A new ledger becomes open-key if neither the application nor the server
   * chooses a kind.
   */
  readonly kind?: LedgerKind;
  /**
   * When files of documents are fetched. `when-read` (default): on first read. `always`: as soon as
   * the document arrives, so that all files can be read offline.
   */
  readonly files?: 'when-read' | 'always';
  /** Options for ledgers with a membership log. */
  readonly members?: MemberOptions;
}

/** A ledger that a database can attach to; created by `toCloud`. */
export interface Remote {
  /**
   * A text that is equal for remotes that attach in the same way. Hooks treat such remotes as one,
   * so that a component can create its remote in each render.
   */
  readonly inputs?: string;
  /**
   * Returns the options that `toCloud` got. Hooks treat remotes with equal options as one. A
   * method, so that a printed remote doesn't show the token.
   */
  options?(): CloudOptions;
  /**
   * Returns an id that is the same in all tabs and processes that attach to this ledger, so that
   * they share a connection. Without this method, they don't share one.
   */
  idOn?(platform: Platform): string | undefined;
  /**
   * Attaches a database. The database calls this method.
   * @param watch returns a list of entries with additional functions
   */
  attach(commits: Commits, platform: Platform, watch?: WatchListed): Promise<Attached>;
}
