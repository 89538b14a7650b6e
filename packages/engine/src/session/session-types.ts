import type { FixpointError } from '@fixpoint/protocol';
import type { Collections, DatabaseWith } from '../collections/collection-types.ts';
import type { Database } from '../database/database.ts';
import type { LedgerKind } from '../sync/ledger/ledger-sealing.ts';
import type { Attached } from '../sync/remote.ts';

/** Options of `createSession`. */
export interface SessionOptions {
  /** Address of the cloud, such as `https://cloud.example`. */
  readonly base: string;
  /** The id of the application, which an admin of a tenant registered. */
  readonly app: string;
  /**
   * The page to which the server returns after a sign-in: exactly one of the application's redirect
   * URLs. Default: the address of the current page without its query and fragment.
   */
  readonly redirectUrl?: string;
  /**
   * For an application that signs in its users itself: returns a token of the application's issuer
   * (a JWT) for the person who is signed in, or undefined if nobody is. The session calls it when
   * the page loads, and whenever a session ends. Then `signIn` opens no page of the cloud.
   */
  readonly token?: () => Promise<string | undefined>;
}

/** A person who signed in to an application. */
export interface SessionUser {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
}

/** The state of a session at a moment. Each change creates a new object. */
export interface SessionState {
  /** `starting`: the page has just loaded, and the session finds out whether somebody signed in. */
  readonly status: 'starting' | 'signed-in' | 'signed-out';
  /** The signed-in person. Also known while the device is offline. */
  readonly user?: SessionUser;
  /**
   * Why the last sign-in failed: FORBIDDEN if the person didn't agree, NOT_SIGNED_IN if the code
   * was no longer valid, FETCH if the server couldn't be reached.
   */
  readonly error?: FixpointError;
}

/** A database that the signed-in person may read. */
export interface SessionDatabase {
  readonly tenantId: string;
  readonly ledgerId: string;
  readonly name: string;
  readonly right: 'read' | 'write';
  /** Missing while nobody has decided whether the database is end-to-end encrypted. */
  readonly kind?: LedgerKind;
}

/** Options of `Session.signIn`. */
export interface SignInOptions {
  /**
   * Opens a window instead of leaving the page. Call `signIn` while a click is handled. Default
   * false.
   */
  readonly popup?: boolean;
}

/** Options of `Session.open`. */
export interface SessionOpenOptions {
  /**
   * Name of the database on this device. Default: the ids of the person and of the database. With
   * your own name, documents that are already in the database of this name are sent, too.
   */
  readonly name?: string;
  /**
   * Opens a database that another person used on this device, and sends the documents that they
   * left in it. Default false: `open` fails with CONFLICT. Call `destroy()` first unless the
   * documents belong to both.
   */
  readonly takeOver?: boolean;
  /** See `CloudOptions.kind`. Always pass this option. */
  readonly kind?: LedgerKind;
  /** See `CloudOptions.files`. */
  readonly files?: 'when-read' | 'always';
}

/** A database of this device that is attached to a database in the cloud. */
export interface SessionOpened<D extends Database = Database> {
  readonly database: D;
  readonly attached: Attached;
}

/** Signs people in to an application, and keeps them signed in. */
export interface Session {
  /** The signed-in person; undefined if nobody is signed in. */
  readonly user: SessionUser | undefined;
  /** Returns the current state: the same object until something changes. */
  state(): SessionState;
  /** Calls back after each change. Returns a function that stops this. */
  onChange(listener: () => void): () => void;
  /** Resolves when the state is no longer `starting`. */
  ready(): Promise<void>;
  /**
   * Leads the person to the sign-in page of the cloud, which returns to `redirectUrl`. The promise
   * stays pending, because the browser leaves the page. With `popup`, it resolves when the person
   * has signed in. Call it again if the person closed the window: the first call then rejects.
   * With the option `token`, call it after your application signed a person in.
   * @throws FixpointError FORBIDDEN if the person didn't agree, SignInWindowError if the window was
   * blocked, closed too early, replaced by a later call, or not used for an hour
   */
  signIn(options?: SignInOptions): Promise<void>;
  /**
   * Ends the session here, in the other tabs, and on the server, and detaches the databases that
   * `open` opened. Their documents stay on the device: to remove them, call `destroy()` of each
   * database.
   */
  signOut(): Promise<void>;
  /**
   * Lists the databases of the application's tenant that the person may read. While the device is
   * offline, returns the databases that the server listed last for this person.
   * @throws FixpointError NOT_SIGNED_IN, and FETCH if the device knows no list
   */
  databases(): Promise<readonly SessionDatabase[]>;
  /**
   * Opens a database of this device and attaches it to a database in the cloud. Tokens refresh by
   * themselves. A database that was listed before also opens while the device is offline. A second
   * call with the same name returns the same handle, or fails with REQUEST_INVALID if the name is
   * open for another database.
   * @throws FixpointError NOT_SIGNED_IN, NOT_FOUND, REQUEST_INVALID, FETCH, and CONFLICT if another
   * person used the database with this name on this device
   */
  open<C extends Collections>(
    ledgerId: string,
    options: SessionOpenOptions & { readonly collections: C },
  ): Promise<SessionOpened<DatabaseWith<C>>>;
  open(ledgerId: string, options?: SessionOpenOptions): Promise<SessionOpened>;
}
