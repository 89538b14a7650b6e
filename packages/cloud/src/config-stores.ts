/**
 * Reads where a server stores its data. Errors don't repeat values, because they may contain
 * passwords.
 */
import { FixpointError, urlOf } from '@fixpoint/protocol';
import type { BucketConfig } from './objects/bucket.ts';

/** How processes notify each other of new metas. */
type BusConfig =
  | { readonly kind: 'local' }
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'nats'; readonly urls: readonly string[] };

export interface StoresConfig {
  /** Address of a PostgreSQL server; undefined for a file in the data folder. */
  readonly databaseUrl: string | undefined;
  /** A bucket; undefined for files in the data folder. */
  readonly bucket: BucketConfig | undefined;
  readonly bus: BusConfig;
}

type Environment = Readonly<Record<string, string | undefined>>;

const refuse = (why: string): never => {
  throw new FixpointError('CONFIG_INVALID', why);
};

/** @throws FixpointError CONFIG_INVALID with the name of the variable and its allowed values */
export function storesFrom(env: Environment): StoresConfig {
  const databaseUrl = databaseUrlFrom(env['DATABASE_URL']);
  return { databaseUrl, bucket: bucketFrom(env), bus: busFrom(env['HINT_BUS'], databaseUrl) };
}

function databaseUrlFrom(text: string | undefined): string | undefined {
  if (!text) return undefined;
  return /^postgres(ql)?:$/.test(urlOf(text)?.protocol ?? '')
    ? text
    : refuse(
        'DATABASE_URL must be an address such as postgres://user:password@host/name: fix it, or unset it to store data under FIXPOINT_DATA',
      );
}

function bucketFrom(env: Environment): BucketConfig | undefined {
  const text = env['OBJECT_STORE'];
  if (!text || text === 'disk') return undefined;
  const { bucket, path } = readBucket(env, 'OBJECT_STORE', text) ?? { path: '/' };
  if (bucket !== undefined && path === '') return bucket;
  return refuse(
    'OBJECT_STORE must be a bucket such as s3://bucket?endpoint=https://host: fix it, or unset it to store data under FIXPOINT_DATA',
  );
}

/**
 * Reads `s3://bucket/path?endpoint=https://host&region=...&style=host&downloads=direct`, and the
 * access keys from the usual AWS variables. Returns undefined for another kind of address.
 * @param source name of the setting, for errors
 * @throws FixpointError CONFIG_INVALID
 */
export function readBucket(
  env: Environment,
  source: string,
  text: string,
): { readonly bucket: BucketConfig; readonly path: string } | undefined {
  const url = urlOf(text);
  if (url?.protocol !== 's3:' || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host)) return undefined;
  const known = ['endpoint', 'region', 'style', 'downloads'];
  for (const name of url.searchParams.keys())
    if (!known.includes(name)) refuse(`${source}: ${name} is not one of ${known.join(', ')}`);
  const choice = (name: string, allowed: readonly string[]) => {
    const value = url.searchParams.get(name) || allowed[0];
    return allowed.find((one) => one === value) ?? refuse(`${source}: ${name} is ${allowed.join(' or ')}`);
  };
  const endpoint = url.searchParams.get('endpoint');
  const region = url.searchParams.get('region') || env['AWS_REGION'] || env['AWS_DEFAULT_REGION'];
  const style = choice('style', endpoint === null ? ['host', 'path'] : ['path', 'host']);
  const address = endpoint ?? `https://s3.${region ?? 'us-east-1'}.amazonaws.com`;
  const bucket = {
    url: bucketUrl(url.host, address, style, source),
    region: region ?? 'us-east-1',
    accessKeyId: keyFrom(env, 'AWS_ACCESS_KEY_ID', source),
    secretAccessKey: keyFrom(env, 'AWS_SECRET_ACCESS_KEY', source),
    sessionToken: env['AWS_SESSION_TOKEN'] || undefined,
    isDirect: choice('downloads', ['gateway', 'direct']) === 'direct',
  };
  return { bucket, path: url.pathname };
}

function bucketUrl(bucket: string, endpoint: string, style: string, source: string): string {
  const { protocol, host, pathname } = urlOf(endpoint) ?? refuse(`${source}: endpoint is not an address`);
  if (!/^https?:$/.test(protocol)) return refuse(`${source}: endpoint must be an http or https address`);
  const path = pathname.replace(/\/$/, '');
  return style === 'host' ? `${protocol}//${bucket}.${host}${path}` : `${protocol}//${host}${path}/${bucket}`;
}

const keyFrom = (env: Environment, name: string, source: string): string =>
  env[name] || refuse(`${source} needs ${name}: set it too`);

/** By default, processes that share a database notify each other through that database. */
function busFrom(text: string | undefined, databaseUrl: string | undefined): BusConfig {
  if (text === 'local') return { kind: 'local' };
  if (!text || text === 'postgres') {
    if (databaseUrl !== undefined) return { kind: 'postgres', url: databaseUrl };
    return text ? refuse('HINT_BUS=postgres needs DATABASE_URL') : { kind: 'local' };
  }
  const urls = text.split(',').map((each) => each.trim());
  return urls.every((each) => /^(nats|tls):$/.test(urlOf(each)?.protocol ?? ''))
    ? { kind: 'nats', urls }
    : refuse('HINT_BUS must be local, postgres or nats://host:4222');
}
