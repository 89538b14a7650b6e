/**
 * Shows a server to its operator, and sets limits. Other commands for operators are `operators`,
 * `users`, `waitlist` and `backup`.
 */
import {
  auditOfServer,
  bytesIn,
  type CloudConfig,
  configFrom,
  describeServer,
  failedMails,
  runningGateways,
  setLimits,
  setUserLimit,
  type TenantOfServer,
  tenantsOfServer,
} from '@fixpoint/cloud';
import { type Call, type Command, type Outcome, required, UsageError } from '../command.ts';

const LIMIT_OPTIONS = {
  admins: 'maxAdminUsers',
  members: 'maxMemberUsers',
  invites: 'maxInvites',
  databases: 'maxLedgers',
  shares: 'maxShares',
} as const;
const AUDIT_DEFAULT = 50;
const AUDIT_MAX = 10_000;

export const operate: Command = {
  usage: [
    'operate',
    'operate tenants [--search TEXT]',
    'operate limits <tenant id> [--storage 10GB|none] [--databases N] [--admins N] [--members N] [--invites N] [--shares N]',
    'operate user-limits <email or id> --tenants N',
    'operate gateways',
    'operate mails',
    'operate audit [--limit 50]',
  ],
  options: {
    data: {
      type: 'string',
      value: 'FOLDER',
      help: 'folder of the server data; default: $FIXPOINT_DATA or ./.fixpoint',
    },
    search: { type: 'string', value: 'TEXT', help: "part of a tenant's name or its owner's address" },
    storage: { type: 'string', value: 'SIZE', help: 'byte quota, such as 500MB or 10GB; none removes it' },
    tenants: { type: 'string', value: 'N', help: 'maximum number of tenants that a user owns' },
    databases: { type: 'string', value: 'N', help: 'maximum number of databases' },
    admins: { type: 'string', value: 'N', help: 'maximum number of admins' },
    members: { type: 'string', value: 'N', help: 'maximum number of members' },
    invites: { type: 'string', value: 'N', help: 'maximum number of pending invites' },
    shares: { type: 'string', value: 'N', help: 'maximum number of shares of each database' },
    limit: { type: 'string', value: 'N', help: 'number of audit records to list' },
  },
  takes: { '': 0, tenants: 0, limits: 1, 'user-limits': 1, gateways: 0, mails: 0, audit: 0 },
  run: async (call) => {
    const data = call.text('data');
    const config = configFrom({ ...call.io.env, ...(data !== undefined && { FIXPOINT_DATA: data }) });
    const [verb = ''] = call.args;
    const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    if (run === undefined) throw new UsageError(`there is no command operate ${verb}`);
    return run(config, call);
  },
};

const VERBS: Readonly<Record<string, (config: CloudConfig, call: Call) => Promise<Outcome>>> = {
  '': async (config) => {
    const server = await describeServer(config);
    const { signUp, tenants, people, waiting, ledgers, bytes } = server;
    const lines = [
      `sign-up     ${signUp}`,
      `tenants     ${tenants}`,
      `people      ${people}, ${waiting} on the waitlist`,
      `databases   ${ledgers}`,
      `storage     ${sizeText(bytes)}`,
    ];
    return { json: server, lines };
  },
  tenants: async (config, { text }) => {
    const tenants = await tenantsOfServer(config, text('search'));
    return { json: { tenants }, lines: tenants.map(lineOf) };
  },
  limits: async (config, { args, text }) => {
    const tenantId = required(args[1], 'the id of the tenant');
    const given = Object.entries(LIMIT_OPTIONS).flatMap(([option, name]) => {
      const value = text(option);
      return value === undefined ? [] : [[name, countIn(option, value)] as const];
    });
    const storage = text('storage');
    if (given.length === 0 && storage === undefined) throw new UsageError('pass at least one limit');
    const maxBytes = storage === undefined ? undefined : quotaIn(storage);
    await setLimits(config, tenantId, { ...Object.fromEntries(given), maxBytes });
    return { json: { tenantId, ...Object.fromEntries(given), maxBytes }, lines: ['The limits are set.'] };
  },
  'user-limits': async (config, { args, text }) => {
    const user = required(args[1], 'the address or id of the user');
    const maxTenants = countIn('tenants', required(text('tenants'), '--tenants'));
    const userId = await setUserLimit(config, user, maxTenants);
    return { json: { userId, maxTenants }, lines: ['The limit is set.'] };
  },
  gateways: async (config) => {
    const gateways = await runningGateways(config);
    const lines = gateways.map(
      ({ startedAt, url, version, sockets }) => `${startedAt}  ${url}  ${version}  ${sockets} connections`,
    );
    return { json: { gateways }, lines };
  },
  mails: async (config) => {
    const mails = await failedMails(config);
    const lines = mails.map(
      ({ failedAt, receiver, subject, reason }) => `${failedAt}  ${receiver}  ${subject}  ${reason}`,
    );
    return { json: { mails }, lines };
  },
  audit: async (config, { text }) => {
    const limit = countIn('limit', text('limit') ?? String(AUDIT_DEFAULT));
    if (limit < 1 || limit > AUDIT_MAX) throw new UsageError(`--limit must be from 1 to ${AUDIT_MAX}`);
    const records = await auditOfServer(config, limit);
    const lines = records.map(
      ({ createdAt, tenantId, userId, action, detail }) =>
        `${createdAt}  ${tenantId}  ${userId}  ${action}  ${detail}`,
    );
    return { json: { records }, lines };
  },
};

function lineOf({ tenantId, name, ownerEmail, bytes, maxBytes, traffic, ...row }: TenantOfServer): string {
  const moved = traffic.reduce((sum, { uploaded, downloaded }) => sum + uploaded + downloaded, 0);
  return [
    row.createdAt,
    tenantId,
    name,
    ownerEmail ?? '',
    `${row.ledgers} of ${row.maxLedgers} databases`,
    `${row.admins} of ${row.maxAdminUsers} admins`,
    `${row.members} of ${row.maxMemberUsers} members`,
    `${row.maxShares} shares of each database`,
    maxBytes === undefined ? sizeText(bytes) : `${sizeText(bytes)} of ${sizeText(maxBytes)}`,
    `${sizeText(moved)} traffic in 14 days`,
  ].join('  ');
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];

function sizeText(bytes: number): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  return `${Number((bytes / 1000 ** step).toFixed(step === 0 ? 0 : 1))} ${UNITS[step]}`;
}

function countIn(option: string, text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new UsageError(`--${option} must be a whole number up to 999999`);
  return Number(text);
}

/** Returns the bytes in a text such as `10GB`; null for `none`. */
function quotaIn(text: string): number | null {
  if (text === 'none') return null;
  const bytes = bytesIn(text);
  if (bytes === undefined) throw new UsageError('--storage must be a size such as 500MB or 10GB, or none');
  return bytes;
}
