import { FixpointError, urlOf } from '@fixpoint/protocol';
import { APPLICATION_LIMITS } from '@fixpoint/protocol/admin';
import {
  type IdentityConfig,
  identityFrom,
  type SecondFactor,
  type SignUp,
  type SmtpConfig,
  smtpFrom,
} from './config-accounts.ts';
import { type BackupConfig, backupFrom } from './config-backup.ts';
import { type StoresConfig, storesFrom } from './config-stores.ts';
import { SERVED_NAMES } from './http/route-names.ts';
import { ACCESS, type Access } from './identity/end-access.ts';
import type { IssuerNetworks } from './identity/providers/issuer-fetch.ts';
import { NEW_LIMITS, type NewLimits } from './tables/new-limits.ts';

/**
 * Rate limits of messages and websockets, per user or per address. A burst may contain the messages
 * of ten seconds, or the sockets of one minute.
 */
export interface Rates {
  readonly perUserSecond: number;
  readonly perAddressSecond: number;
  readonly socketsPerAddressMinute: number;
  /** Sockets open at the same time. */
  readonly socketsPerUser: number;
}

export interface CloudConfig extends StoresConfig {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Folder of the secrets, and of all data that isn't stored elsewhere. */
  readonly data: string;
  /**
   * The address that users see if the server is behind a proxy; defaults to the address that each
   * client used.
   */
  readonly publicUrl: string | undefined;
  /** The path under which a proxy serves this server, such as `/fixpoint`; empty for the root. */
  readonly basePath: string;
  /**
   * Addresses of all gateways that share these stores. Clients choose one of them. Empty for a
   * single gateway.
   */
  readonly gatewayUrls: readonly string[];
  /**
   * Number of trusted proxies in front of this server. Each of them adds to X-Forwarded-For.
   */
  readonly proxyHops: number;
  readonly rates: Rates;
  /**
   * Origins of apps that may use the gateway; undefined allows all. Besides pages of this server,
   * only listed origins may use the admin API.
   */
  readonly allowedOrigins: readonly string[] | undefined;
  /**
   * The address of the storage gateway that the console attaches databases to; defaults to the
   * address of this server.
   */
  readonly storageUrl: string | undefined;
  readonly consoleDir: string | undefined;
  /**
   * The address of the operator's community, such as a forum; undefined for a page of the
   * documentation.
   */
  readonly communityUrl: string | undefined;
  readonly identity: IdentityConfig;
  readonly signUp: SignUp;
  /** Whether a password alone is enough for the built-in provider. */
  readonly secondFactor: SecondFactor;
  /** Days after which a session ends, even if it is in use. */
  readonly sessionDaysMax: number;
  /**
   * The access that ends, besides sessions, when a user signs out everywhere or changes their
   * password.
   */
  readonly signOutEnds: Access;
  /** Limits that new users, tenants and databases get. */
  readonly newLimits: NewLimits;
  /** Applications that a tenant may register; 0 allows none. */
  readonly applicationsPerTenant: number;
  /** Users whom the applications of a tenant may bring along. */
  readonly applicationUsersPerTenant: number;
  /** Where tenants' own issuers may be. */
  readonly issuerNetworks: IssuerNetworks;
  /** Whether admins may start membership logs. A ledger that has a log keeps it for ever. */
  readonly startsLogs: boolean;
  /** Days for which audit records are kept; 0 keeps them forever. */
  readonly auditDays: number;
  /** The backups that the server makes itself; undefined for none. */
  readonly backup: BackupConfig | undefined;
  /** The mail server; undefined writes files to `outbox` in the data folder. */
  readonly smtp: SmtpConfig | undefined;
  /** The token that lets other machines read `/metrics`. */
  readonly metricsToken: string | undefined;
  /** The address that traces are posted to; undefined for no traces. */
  readonly tracesUrl: string | undefined;
  readonly logLevel: string;
}

const DEFAULT_RATES: Rates = {
  perUserSecond: 200,
  perAddressSecond: 1000,
  socketsPerAddressMinute: 600,
  socketsPerUser: 200,
};

const SESSION_DAYS_DEFAULT = 30;
const AUDIT_DAYS_DEFAULT = 365;

/**
 * Returns the configuration of a server on a free port of this machine, with all data in one
 * folder.
 */
export const defaultConfig = (data: string): CloudConfig => ({
  host: '127.0.0.1',
  port: 0,
  data,
  databaseUrl: undefined,
  bucket: undefined,
  bus: { kind: 'local' },
  publicUrl: undefined,
  basePath: '',
  gatewayUrls: [],
  proxyHops: 0,
  rates: DEFAULT_RATES,
  allowedOrigins: undefined,
  storageUrl: undefined,
  consoleDir: undefined,
  communityUrl: undefined,
  identity: { kind: 'builtin' },
  signUp: 'open',
  secondFactor: 'optional',
  sessionDaysMax: SESSION_DAYS_DEFAULT,
  signOutEnds: 'keep',
  newLimits: NEW_LIMITS,
  applicationsPerTenant: APPLICATION_LIMITS.perTenantMax,
  applicationUsersPerTenant: APPLICATION_LIMITS.usersPerTenantMax,
  issuerNetworks: 'any',
  startsLogs: true,
  auditDays: AUDIT_DAYS_DEFAULT,
  backup: undefined,
  smtp: undefined,
  metricsToken: undefined,
  tracesUrl: undefined,
  logLevel: 'silent',
});

const PORT_DEFAULT = 7370;
type Environment = Readonly<Record<string, string | undefined>>;

/** @throws FixpointError CONFIG_INVALID with the name of the variable and its allowed values */
export function configFrom(env: Environment): CloudConfig {
  return {
    host: env['HOST'] || '127.0.0.1',
    port: portFrom(env['PORT']),
    data: env['FIXPOINT_DATA'] || './.fixpoint',
    ...storesFrom(env),
    publicUrl: originFrom('PUBLIC_URL', env['PUBLIC_URL']),
    basePath: basePathFrom(env['BASE_PATH']),
    gatewayUrls: originsFrom(env, 'GATEWAY_URLS') ?? [],
    proxyHops: numberFrom(env, 'TRUSTED_PROXY_HOPS', 0, 0, 10),
    rates: {
      perUserSecond: numberFrom(env, 'RATE_PER_USER', DEFAULT_RATES.perUserSecond),
      perAddressSecond: numberFrom(env, 'RATE_PER_ADDRESS', DEFAULT_RATES.perAddressSecond),
      socketsPerAddressMinute: numberFrom(env, 'RATE_OF_SOCKETS', DEFAULT_RATES.socketsPerAddressMinute),
      socketsPerUser: numberFrom(env, 'SOCKETS_PER_USER', DEFAULT_RATES.socketsPerUser),
    },
    allowedOrigins: originsFrom(env, 'ALLOWED_ORIGINS'),
    storageUrl: storageUrlFrom(env['FP_STORAGE_URL']),
    consoleDir: env['CONSOLE_DIR'] || undefined,
    communityUrl: addressFrom('COMMUNITY_URL', env['COMMUNITY_URL']),
    identity: identityFrom(env),
    signUp: oneOf(env, 'SIGNUP', ['open', 'waitlist', 'closed'], 'open'),
    secondFactor: oneOf(env, 'SECOND_FACTOR', ['optional', 'required'], 'optional'),
    sessionDaysMax: numberFrom(env, 'SESSION_DAYS_MAX', SESSION_DAYS_DEFAULT, 1, 400),
    signOutEnds: oneOf(env, 'SIGN_OUT_ENDS', ACCESS, 'keep'),
    newLimits: newLimitsFrom(env),
    applicationsPerTenant: numberFrom(
      env,
      'APPLICATIONS_PER_TENANT',
      APPLICATION_LIMITS.perTenantMax,
      0,
      1000,
    ),
    applicationUsersPerTenant: numberFrom(
      env,
      'APPLICATION_USERS_PER_TENANT',
      APPLICATION_LIMITS.usersPerTenantMax,
      0,
    ),
    issuerNetworks: oneOf(env, 'ISSUER_NETWORKS', ['public', 'any'], isOnlyHere(env) ? 'any' : 'public'),
    startsLogs: oneOf(env, 'MEMBERSHIP_LOGS', ['off', 'on'], 'on') === 'on',
    auditDays: numberFrom(env, 'AUDIT_DAYS', AUDIT_DAYS_DEFAULT, 0, 36_500),
    backup: backupFrom(env),
    smtp: smtpFrom(env),
    metricsToken: env['METRICS_TOKEN'] || undefined,
    tracesUrl: tracesUrlFrom(env),
    logLevel: oneOf(env, 'LOG_LEVEL', ['silent', 'error', 'warn', 'info', 'debug'], 'info'),
  };
}

/** Returns whether only this machine can use the server, as during development. */
const isOnlyHere = (env: Environment): boolean =>
  !env['PUBLIC_URL'] &&
  !Number(env['TRUSTED_PROXY_HOPS']) &&
  ['127.0.0.1', '::1', 'localhost'].includes(env['HOST'] || '127.0.0.1');

const refuse = (why: string): never => {
  throw new FixpointError('CONFIG_INVALID', why);
};

function oneOf<T extends string>(env: Environment, name: string, allowed: readonly T[], fallback: T): T {
  const value = env[name] || fallback;
  return (
    allowed.find((one) => one === value) ?? refuse(`${name}=${value} is not one of ${allowed.join(', ')}`)
  );
}

function portFrom(text: string | undefined): number {
  if (!text) return PORT_DEFAULT;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return port <= 65_535 ? port : refuse(`PORT=${text} must be a number from 0 to 65535`);
}

function numberFrom(env: Environment, name: string, fallback: number, min = 1, max = 1_000_000): number {
  const text = env[name];
  if (!text) return fallback;
  const value = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max
    ? value
    : refuse(`${name}=${text} must be a number from ${min} to ${max}`);
}

const newLimitsFrom = (env: Environment): NewLimits => ({
  maxTenants: numberFrom(env, 'TENANTS_PER_USER', NEW_LIMITS.maxTenants, 0),
  // Each tenant has at least one admin, its owner.
  maxAdminUsers: numberFrom(env, 'ADMINS_PER_TENANT', NEW_LIMITS.maxAdminUsers),
  maxMemberUsers: numberFrom(env, 'MEMBERS_PER_TENANT', NEW_LIMITS.maxMemberUsers, 0),
  maxInvites: numberFrom(env, 'INVITES_PER_TENANT', NEW_LIMITS.maxInvites, 0),
  maxLedgers: numberFrom(env, 'DATABASES_PER_TENANT', NEW_LIMITS.maxLedgers, 0),
  maxShares: numberFrom(env, 'SHARES_PER_DATABASE', NEW_LIMITS.maxShares, 0),
  maxBytes: quotaFrom(env, 'STORAGE_PER_TENANT'),
});

function quotaFrom(env: Environment, name: string): number | undefined {
  const text = env[name];
  if (!text || text === 'none') return undefined;
  return bytesIn(text) ?? refuse(`${name}=${text} must be a size such as 500MB or 10GB, or none`);
}

const UNITS = ['kB', 'MB', 'GB', 'TB'];

/** Returns the bytes in a text such as `10GB`, in decimal units; undefined for another text. */
export function bytesIn(text: string): number | undefined {
  const [, number = '', unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?) ?(kB|MB|GB|TB)$/i.exec(text) ?? [];
  const step = UNITS.findIndex((each) => each.toLowerCase() === unit.toLowerCase());
  return step < 0 ? undefined : Math.round(Number(number) * 1000 ** (step + 1));
}

function basePathFrom(text: string | undefined): string {
  if (!text || text === '/') return '';
  const isPath = /^(\/[A-Za-z0-9_-]+)+\/?$/.test(text);
  if (!isPath) return refuse(`BASE_PATH=${text} must be a path such as /fixpoint`);
  const path = text.replace(/\/$/, '');
  const parts = path.slice(1).split('/');
  // A proxy may strip the path. The server couldn't tell `/fp` below `/fp` from the path itself.
  const served = [parts[0] ?? '', parts.at(-1) ?? ''].find((part) => SERVED_NAMES.has(part));
  if (served === undefined) return path;
  const why = `must not begin or end with /${served}, which is a path of the server itself`;
  return refuse(`BASE_PATH=${text} ${why}: choose another one, such as /fixpoint`);
}

const originsFrom = (env: Environment, name: string): readonly string[] | undefined =>
  env[name]
    ?.split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map((each) => originFrom(name, each) ?? each);

function originFrom(name: string, text: string | undefined): string | undefined {
  if (!text) return undefined;
  const url = urlOf(text);
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/';
  return isOrigin ? url.origin : refuse(`${name}=${text} must be an http or https address of a server`);
}

function addressFrom(name: string, text: string | undefined): string | undefined {
  if (!text) return undefined;
  const url = urlOf(text);
  const isAddress = url !== undefined && /^https?:$/.test(url.protocol);
  return isAddress ? url.href : refuse(`${name}=${text} must be an http or https address`);
}

function storageUrlFrom(text: string | undefined): string | undefined {
  if (!text) return undefined;
  const isKnown = /^(fpcloud|https?|wss?):$/.test(urlOf(text)?.protocol ?? '');
  return isKnown ? text : refuse(`FP_STORAGE_URL=${text} must be an http, https or fpcloud address`);
}

/**
 * Returns the address that traces are posted to; undefined without an OpenTelemetry endpoint.
 * @throws FixpointError CONFIG_INVALID
 */
export function tracesUrlFrom(env: Environment): string | undefined {
  const ofTraces = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (env['OTEL_SDK_DISABLED'] === 'true' || (!ofTraces && !base)) return undefined;
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  if (protocol && !protocol.startsWith('http/'))
    return refuse(`OTEL_EXPORTER_OTLP_PROTOCOL=${protocol} must be http/json or http/protobuf, or not set`);
  if (ofTraces) return collectorFrom('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', ofTraces);
  return `${collectorFrom('OTEL_EXPORTER_OTLP_ENDPOINT', base ?? '').replace(/\/$/, '')}/v1/traces`;
}

/** The address isn't part of the message, because it may contain a password. */
function collectorFrom(name: string, text: string): string {
  const url = urlOf(text);
  return url !== undefined && /^https?:$/.test(url.protocol)
    ? url.href
    : refuse(`${name} must be an http or https address, such as http://localhost:4318`);
}
