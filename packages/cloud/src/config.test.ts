import { describe, expect, test } from 'vitest';
import { configFrom, tracesUrlFrom } from './config.ts';

const KEY = 'pk_test_Y2xlcmsuZmFrZS50ZXN0JA==';

const BESIDE = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'x' };

describe('configFrom', () => {
  test('uses a default for each unset variable: this machine, port 7370, data in the working folder', () => {
    expect(configFrom({})).toMatchObject({
      host: '127.0.0.1',
      port: 7370,
      data: './.fixpoint',
      publicUrl: undefined,
      signUp: 'open',
    });
    expect(configFrom({ PORT: '', FIXPOINT_DATA: '' })).toEqual(configFrom({}));
  });

  test('uses the variables that are set', () => {
    const config = configFrom({
      PORT: '0',
      HOST: '0.0.0.0',
      FIXPOINT_DATA: '/data',
      PUBLIC_URL: 'https://cloud.example/',
      COMMUNITY_URL: 'https://forum.example/t/fixpoint',
      ALLOWED_ORIGINS: 'https://a.example, https://b.example:8443',
      FP_STORAGE_URL: 'fpcloud://cloud.example',
      SIGNUP: 'closed',
      METRICS_TOKEN: 'secret',
      BASE_PATH: '/fix/point/',
      GATEWAY_URLS: 'https://one.example, https://two.example',
      TRUSTED_PROXY_HOPS: '2',
      RATE_PER_USER: '7',
      SOCKETS_PER_USER: '9',
      MEMBERSHIP_LOGS: 'off',
      TENANTS_PER_USER: '0',
      MEMBERS_PER_TENANT: '1000000',
      SHARES_PER_DATABASE: '20',
      STORAGE_PER_TENANT: '1.5GB',
    });
    expect(config).toMatchObject({
      host: '0.0.0.0',
      port: 0,
      data: '/data',
      publicUrl: 'https://cloud.example',
      communityUrl: 'https://forum.example/t/fixpoint',
      allowedOrigins: ['https://a.example', 'https://b.example:8443'],
      storageUrl: 'fpcloud://cloud.example',
      signUp: 'closed',
      metricsToken: 'secret',
      basePath: '/fix/point',
      gatewayUrls: ['https://one.example', 'https://two.example'],
      proxyHops: 2,
      rates: { perUserSecond: 7, perAddressSecond: 1000, socketsPerAddressMinute: 600, socketsPerUser: 9 },
      startsLogs: false,
      newLimits: {
        ...{ maxTenants: 0, maxAdminUsers: 5, maxMemberUsers: 1_000_000, maxInvites: 10, maxLedgers: 5 },
        ...{ maxShares: 20, maxBytes: 1_500_000_000 },
      },
    });
    expect(configFrom({ STORAGE_PER_TENANT: 'none' }).newLimits).toEqual(configFrom({}).newLimits);
  });

  test.each([
    [{ PORT: 'abc' }, 'PORT=abc'],
    [{ TENANTS_PER_USER: '-1' }, 'TENANTS_PER_USER=-1 must be a number from 0 to 1000000'],
    [{ ADMINS_PER_TENANT: '0' }, 'ADMINS_PER_TENANT=0 must be a number from 1 to 1000000'],
    [{ DATABASES_PER_TENANT: '1000001' }, 'DATABASES_PER_TENANT=1000001'],
    [{ INVITES_PER_TENANT: '1e3' }, 'INVITES_PER_TENANT=1e3'],
    [{ STORAGE_PER_TENANT: '10' }, 'STORAGE_PER_TENANT=10 must be a size such as 500MB'],
    [{ STORAGE_PER_TENANT: '-1GB' }, 'STORAGE_PER_TENANT=-1GB'],
    [{ BASE_PATH: 'x' }, 'BASE_PATH=x'],
    [{ MEMBERSHIP_LOGS: 'yes' }, 'MEMBERSHIP_LOGS=yes'],
    [{ BASE_PATH: '/a/../b' }, 'BASE_PATH=/a/../b'],
    [{ BASE_PATH: '/fp' }, 'BASE_PATH=/fp must not begin or end with /fp'],
    [{ BASE_PATH: '/api/' }, 'BASE_PATH=/api/ must not begin or end with /api'],
    [{ BASE_PATH: '/ws/notes' }, 'begin or end with /ws'],
    [{ BASE_PATH: '/notes/api' }, 'begin or end with /api'],
    [{ BASE_PATH: '/a/b/docs/' }, 'begin or end with /docs'],
    [{ BASE_PATH: '/login' }, 'such as /fixpoint'],
    [{ TRUSTED_PROXY_HOPS: '11' }, 'TRUSTED_PROXY_HOPS=11'],
    [{ RATE_PER_USER: '-1' }, 'RATE_PER_USER=-1'],
    [{ GATEWAY_URLS: 'https://a.example/path' }, 'GATEWAY_URLS=https://a.example/path'],
    [{ PORT: '65536' }, 'PORT=65536'],
    [{ PORT: '-1' }, 'PORT=-1'],
    [{ PORT: '80.5' }, 'PORT=80.5'],
    [{ DATABASE_URL: 'mysql://user:canary@host/db' }, 'DATABASE_URL'],
    [{ DATABASE_URL: 'canary' }, 'DATABASE_URL'],
    [{ SMTP_URL: 'http://user:canary@host' }, 'SMTP_URL'],
    [{ SMTP_URL: 'smtp://host', MAIL_FROM: 'canary' }, 'MAIL_FROM'],
    [{ AUTH: 'magic' }, 'AUTH=magic'],
    [{ AUTH: 'clerk' }, 'CLERK_PUBLISHABLE_KEY'],
    [{ AUTH: 'clerk', CLERK_PUBLISHABLE_KEY: 'pk_test_abc' }, 'CLERK_PUBLISHABLE_KEY'],
    [{ AUTH: 'clerk', CLERK_PUBLISHABLE_KEY: KEY, CLERK_PROXY_URL: '//evil' }, 'CLERK_PROXY_URL=//evil'],
    [{ AUTH: 'clerk', CLERK_PUBLISHABLE_KEY: KEY, CLERK_JWKS_URL: 'http://x.example' }, 'CLERK_JWKS_URL'],
    [{ AUTH: 'oidc', OIDC_CLIENT_ID: 'x' }, 'OIDC_ISSUER'],
    [{ AUTH: 'oidc', OIDC_CLIENT_ID: 'x', OIDC_ISSUER: 'http://169.254.169.254' }, 'OIDC_ISSUER'],
    [{ AUTH: 'oidc', OIDC_ISSUER: 'https://id.example' }, 'OIDC_CLIENT_ID'],
    [{ OIDC_ISSUER: 'https://id.example' }, 'OIDC_CLIENT_ID'],
    [{ ...BESIDE, ORGANIZATIONS: 'tenants' }, 'ORGANIZATIONS=tenants'],
    [{ ...BESIDE, SECOND_FACTOR: 'required' }, 'SECOND_FACTOR=required'],
    [{ ...BESIDE, OIDC_NAME: 'x'.repeat(41) }, 'OIDC_NAME'],
    [{ SIGNUP: 'maybe' }, 'SIGNUP=maybe'],
    [{ PUBLIC_URL: 'cloud.example' }, 'PUBLIC_URL'],
    [{ PUBLIC_URL: 'ftp://cloud.example' }, 'PUBLIC_URL'],
    [{ COMMUNITY_URL: 'javascript:alert(1)' }, 'COMMUNITY_URL'],
    [{ PUBLIC_URL: 'https://note\u00d7\u009e.example' }, 'PUBLIC_URL'],
    [{ PUBLIC_URL: 'https://cloud.example/below' }, 'PUBLIC_URL'],
    [{ ALLOWED_ORIGINS: 'https://a.example,*' }, 'ALLOWED_ORIGINS'],
    [{ FP_STORAGE_URL: 'file:///x' }, 'FP_STORAGE_URL'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL=loud'],
  ])('rejects %j in one line that contains the variable, without passwords', (env, name) => {
    const refused = () => configFrom(env);
    expect(refused).toThrow(name);
    expect(refused).toThrow(/^configuration is not valid: [^\n]+$/);
    expect(refused).not.toThrow(/canary/);
  });
});

test.each([
  '/fixpoint',
  '/API',
  '/fps',
  '/my-api',
  '/a/api/b',
  '/__proto__',
  '/constructor/toString',
  '/well-known',
])('accepts the base %s, whose paths the server can tell from its own', (base) => {
  expect(configFrom({ BASE_PATH: base }).basePath).toBe(base);
  expect(configFrom({ BASE_PATH: `${base}/` }).basePath).toBe(base);
});

describe('the endpoint of traces', () => {
  test('sends no traces without an endpoint, or if OpenTelemetry is disabled', () => {
    expect(tracesUrlFrom({})).toBeUndefined();
    expect(tracesUrlFrom({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeUndefined();
    const disabled = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318', OTEL_SDK_DISABLED: 'true' };
    expect(tracesUrlFrom(disabled)).toBeUndefined();
  });

  test.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }, 'http://localhost:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example/in/' }, 'https://otel.example/in/v1/traces'],
    [
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://localhost:9/here',
      },
      'http://localhost:9/here',
    ],
  ])('reads the endpoint %j', (env, url) => {
    expect(tracesUrlFrom({ ...env, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' })).toBe(url);
  });

  test('rejects other protocols and addresses, and never prints an address', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
    expect(() => tracesUrlFrom(env)).toThrow('OTEL_EXPORTER_OTLP_PROTOCOL=grpc must be http/json');
    for (const odd of ['localhost:4318', 'secret words', 'ftp://user:secret@x'])
      expect(() => tracesUrlFrom({ OTEL_EXPORTER_OTLP_ENDPOINT: odd })).toThrow(
        /^(?!.*secret).*OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address/,
      );
  });
});
