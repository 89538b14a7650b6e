/**
 * Error texts by code. A code is stable within a major version; its text is the text of spec §8, if
 * the specification has one for this failure.
 */
export const ERROR_TEXT = {
  // engine and database
  CORRUPT: 'corrupt',
  CRDT_NOT_READY: 'CRDT is not ready',
  DATABASE_CLOSED: 'database is closed',
  DEVICE_NOT_APPROVED: 'device is not approved',
  DOC_ID_REQUIRED: 'Doc id is required',
  DOC_INVALID: 'document cannot be stored',
  FILE_INVALID: 'file cannot be stored',
  FORMAT_NEWER: 'written by a newer version',
  HEAD_INVALID: 'head is not valid',
  KEY_BAG_LOCKED: 'key bag is locked',
  KEY_INVALID: 'key is not valid',
  KEY_UNKNOWN: 'keyId not found',
  LEDGER_FORKED: 'ledger shows other members',
  LEDGER_KIND: 'ledger is of the other kind',
  LEDGER_NOT_COMPARED: 'ledger is not compared',
  LEDGER_OTHER_LOG: 'ledger has another log',
  LEDGER_ROLLED_BACK: 'ledger shows an older state',
  LEDGER_SHELL_MISMATCH: 'LedgerShell mismatch',
  MAP_FAILED: 'map function failed',
  MISSING_BLOCK: 'missing block',
  HISTORY_COMPACTED: 'history compacted',
  MISSING_CARS: 'missing car files',
  MISSING_HEAD: 'missing head',
  MISSING_INDEXES: 'missing indexes',
  MISSING_NAME: 'missing name',
  MODE_MISMATCH: 'database has another mode',
  NOT_FOUND: 'Not found',
  PROOF_INVALID: 'proof is not valid',
  QUERY_INVALID: 'query options are not valid',
  REMOVE_NEEDS_ID: 'Document must have an _id to be removed',
  REMOVE_NOT_FOUND: 'Document not found',
  STORE_FAILED: 'store failed',
  STORE_FULL: 'store is full',
  STORE_LOCKED: 'another process uses the store',
  STORE_LOST: 'database is gone from this device',
  STORE_UNREADABLE: 'store cannot be opened',
  SUBSCRIBER: 'subscriber error',
  USE_SHELL_CLOSE: 'use shellClose',
  WORKER_LOST: 'worker of the engine has ended',
  // transport
  CONNECTION_NOT_OPEN: 'Connection not open',
  DECODE: 'decode error',
  ENCODE: 'encode error',
  FETCH: 'fetch error',
  HTTP: 'HTTP Error',
  INVALID_MESSAGE: 'Invalid message',
  NOT_GESTALT: 'should be ResGestalt',
  RECEIVED_BEFORE_OPEN: 'Received message before onOpen',
  TIMEOUT: 'Timeout',
  UNEXPECTED_RESPONSE: 'unexpected response',
  WS: 'WS Error',
  // gateway
  AUTH_JWK_REQUIRED: 'authJWK is required',
  GATEWAY_GET: 'Error in get fetch',
  GATEWAY_PUT: 'Error in put fetch',
  INVALID_STORE_TYPE: 'Invalid FPStoreTypes',
  KEY_NOT_EXTRACTABLE: 'did not found a extractable key',
  KEY_UPSERT: 'failed to upsert key',
  MISSING_KEYBAG: 'missing keybag',
  MISSING_STORE_KEY: 'missing store key',
  NAME_NOT_FOUND: 'name not found',
  NO_CONNECTION: 'No connection found',
  NOT_IMPLEMENTED: 'Not implemented',
  STORE_MISMATCH: 'store mismatch',
  // cloud
  CONFIG_INVALID: 'configuration is not valid',
  CONFIRM_IDENTITY: 'confirm that it is you',
  CONFLICT: 'conflict',
  EMAIL_UNVERIFIED: 'verify your email first',
  FORBIDDEN: 'forbidden',
  INVITE_ENDED: 'the invite has ended',
  INVITE_EXPIRED: 'the invite has expired',
  INVITE_WAITS: 'answer your pending invite first',
  LIMIT_REACHED: 'limit reached',
  NO_TOKEN: 'No token available',
  NOT_SIGNED_IN: 'not signed in',
  RATE_LIMITED: 'too many requests',
  REQUEST_INVALID: 'request is not valid',
  SECOND_FACTOR_NEEDED: 'sign in with your second factor',
  WAITLISTED: 'you are on the waitlist',
} as const;

export type ErrorCode = keyof typeof ERROR_TEXT;

/** Every expected failure. Any other exception is a bug in Fixpoint, not in the caller. */
export class FixpointError extends Error {
  override readonly name = 'FixpointError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, detail?: string, options?: ErrorOptions) {
    super([ERROR_TEXT[code], detail].filter(Boolean).join(': '), options);
    this.code = code;
  }
}

/** Returns whether this is an error of Fixpoint and, when a code is given, has that code. */
export function isFixpointError(error: unknown, code?: ErrorCode): error is FixpointError {
  return error instanceof FixpointError && (code === undefined || error.code === code);
}
