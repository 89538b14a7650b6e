export { clerkScriptUrl, isProxyUrl, type PublishableKey, parsePublishableKey } from './clerk.ts';
export { ERROR_TEXT, type ErrorCode, FixpointError, isFixpointError } from './errors.ts';
export { FieldError, fieldPath, mustBe } from './field-error.ts';
export { LIMITS } from './limits.ts';
export {
  ADMIN_PATH,
  APPLICATION_PATH,
  CLOUD_SCHEME,
  EXTEND_PATH,
  foldedName,
  LEDGER_CACHE_PREFIX,
  LOCAL_PREFIX,
  localStorageName,
  QUERIES_SUFFIX,
  RESERVED_DATABASES,
  SIGN_IN_ANSWER,
  SOCKET_PATH,
  STORAGE_PATH,
  SYNC_DATABASE,
  sanitizeRemoteName,
  savedQueriesName,
  visibleName,
} from './names.ts';
export type { Result } from './result.ts';
export { gatewayBase, urlOf } from './url.ts';
export { GATEWAY_VERSION, MESSAGE_VERSION } from './version.ts';
