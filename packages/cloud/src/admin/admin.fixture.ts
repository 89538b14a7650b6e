/**
 * Opens the admin API over a real database in a temporary folder. People sign in without a
 * password.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import { type Answer, answerTypeOf, type Payload, type RequestType } from '@fixpoint/protocol/admin';
import { expect, onTestFinished } from 'vitest';
import type { Identity, Person } from '../identity/identity.ts';
import { createOwnTokens } from '../identity/own-tokens.ts';
import type { Mail } from '../mail/mailer.ts';
import { createBackground } from '../observe/background.ts';
import type { Db } from '../tables/connection.ts';
import { openTables } from '../tables/open-tables.ts';
import { testDatabaseUrl } from '../tables/postgres.fixture.ts';
import { createCloudTokens, newSigningKey } from '../tokens/cloud-tokens.ts';
import { type AdminParts, createAdmin } from './dispatch.ts';

/** Accepts tokens that are JSON with the person's identity. */
const fakeIdentity: Identity = {
  type: 'fake',
  handle: () => Promise.reject(new Error('not used')),
  verify: async (token) => {
    if (!token.startsWith('{')) throw new FixpointError('NOT_SIGNED_IN');
    return JSON.parse(token) as Person;
  },
};

export const personNamed = (name: string, more: Partial<Person> = {}): Person => ({
  provider: 'fake',
  providerUserId: `id-of-${name}`,
  email: `${name}@example.com`,
  emailVerified: false,
  name,
  ...more,
});

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** A person who calls the admin API. */
export interface Caller {
  readonly person: Person;
  ask<T extends RequestType>(type: T, payload: Payload<T>): Promise<Answer<T>>;
  /** Sends a request that must be rejected, and returns the error. */
  refused<T extends RequestType>(type: T, payload: unknown): Promise<Refusal>;
}

export interface SignedUp extends Caller {
  readonly userId: string;
}

/** Returns a folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-cloud-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function openTestDatabase(folder = temporaryFolder()): Promise<Db> {
  const url = await testDatabaseUrl(folder);
  const { db } = await openTables(url, folder, () => undefined);
  onTestFinished(() => db.destroy());
  return db;
}

export async function openAdmin(signUp: AdminParts['signUp'] = 'open', newLimits?: AdminParts['newLimits']) {
  const data = temporaryFolder();
  const db = await openTestDatabase(data);
  const clock = { ms: Date.parse('2026-11-20T12:00:00Z') };
  // Each read of the clock returns a later time.
  const now = () => ++clock.ms;
  const tokens = await createCloudTokens([await newSigningKey()], () => clock.ms);
  const faults: unknown[] = [];
  const published = new Map<string, unknown>();
  const fetched: string[] = [];
  const fetchJson = async (url: string) => {
    fetched.push(url);
    if (!published.has(url)) throw new FixpointError('FETCH', url);
    return published.get(url);
  };
  const ownTokens = createOwnTokens(
    fetchJson,
    () => clock.ms,
    () => undefined,
  );
  const report = (error: unknown) => void faults.push(error);
  const refusals: unknown[] = [];
  const note = (event: unknown) => void refusals.push(event);
  const mails: Mail[] = [];
  const mailer = { send: async (mail: Mail) => void mails.push(mail) };
  const background = createBackground(report);
  const consoleUrl = 'https://console.example/fp/cloud';
  const identities = [fakeIdentity];
  const admin = createAdmin({
    db,
    note,
    identities,
    tokens,
    ownTokens,
    signUp,
    mailer,
    background,
    ...(newLimits && { newLimits }),
    consoleUrl,
    now,
    report,
  });

  const callerFor = (person: Person): Caller => {
    const send = (type: string, payload: unknown) =>
      admin({ type, auth: { type: 'fake', token: JSON.stringify(person) }, ...(payload as object) });
    return {
      person,
      ask: async <T extends RequestType>(type: T, payload: Payload<T>) => {
        const { status, body } = await send(type, payload);
        expect(body, type).toMatchObject({ type: answerTypeOf(type) });
        expect(status).toBe(200);
        return body as Answer<T>;
      },
      refused: async (type, payload) => {
        const { status, body } = await send(type, payload);
        expect(body, type).toMatchObject({ type: 'error', error: `Error: ${String(body['message'])}` });
        return { status, code: String(body['code']), message: String(body['message']) };
      },
    };
  };
  return {
    admin,
    /** The folder of the server, for commands of an operator. */
    data,
    db,
    tokens,
    clock,
    /** Answers by URL, for requests of issuers' keys. */
    published,
    /** The URLs of keys that the server fetched. */
    fetched,
    /** Rejected requests, as the log would record them. */
    refusals,
    /** Mails that were sent. The list is complete once `background` has settled. */
    mails,
    background,
    /** Errors that were reported as faults of the server. */
    faults,
    callerFor,
    signUp: async (name: string, more: Partial<Person> = {}): Promise<SignedUp> => {
      const caller = callerFor(personNamed(name, more));
      const { user } = await caller.ask('reqEnsureUser', {});
      return { ...caller, userId: user.userId };
    },
  };
}

export async function makeTenant(owner: Caller, name = 'Acme'): Promise<string> {
  const { tenant } = await owner.ask('reqCreateTenant', { tenant: { name } });
  return tenant.tenantId;
}

export async function makeLedger(owner: Caller, tenantId: string, name = 'notes'): Promise<string> {
  const { ledger } = await owner.ask('reqCreateLedger', { ledger: { tenantId, name } });
  return ledger.ledgerId;
}

/** Adds a person to a tenant: the admin invites them, and they accept. */
export async function bringIn(
  admin: Caller,
  tenantId: string,
  joining: SignedUp,
  role: 'admin' | 'member' = 'member',
): Promise<void> {
  const invitedParams = { tenant: { id: tenantId, role } };
  await admin.ask('reqInviteUser', {
    ticket: { query: { existingUserId: joining.userId }, invitedParams },
  });
  const { invites } = await joining.ask('reqRedeemInvite', {});
  expect(invites).toHaveLength(1);
}
