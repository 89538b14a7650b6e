/**
 * Runs random sequences of all actions that change rights, and compares the server with the model.
 */
import { expect, test } from 'vitest';
import { budget, seed } from '../../../engine/tests/budget.fixture.ts';
import type { Person as IdentityPerson } from '../identity/identity.ts';
import { createOwnTokens } from '../identity/own-tokens.ts';
import { createBackground } from '../observe/background.ts';
import { listShares } from '../tables/ledgers/ledger-users.ts';
import { timestamp } from '../tables/new-row.ts';
import { testDatabaseKind } from '../tables/postgres.fixture.ts';
import { expireOverdue } from '../tables/tenants/invite-tickets.ts';
import { countTenantsOwnedBy } from '../tables/tenants/tenant-rows.ts';
import { countMembers } from '../tables/tenants/tenant-users.ts';
import { createCloudTokens, newSigningKey } from '../tokens/cloud-tokens.ts';
import { createAdmin } from './dispatch.ts';
import { openMemoryDatabase } from './memory-database.fixture.ts';
import {
  type Invite,
  type Ledger,
  LIMITS_OF_MODEL,
  Model,
  type Outcome,
  type Tenant,
} from './rights-model.fixture.ts';
import { accessTo } from './sharing.fixture.ts';

/**
 * PostgreSQL gets fewer steps, because it differs from SQLite only in locking, and every step
 * exercises the locks.
 */
const STEPS = budget({
  commit: testDatabaseKind === 'sqlite' ? 20_000 : 4000,
  night: 200_000,
  release: 1_000_000,
});
const CHECK_EVERY = 250;
const DAY_MS = 86_400_000;
const PEOPLE = 6;
/** The last two accounts have the same address. Each of them sometimes verifies it. */
const EMAILS = [0, 1, 2, 3, 4, 4].map((at) => `p${at}@example.com`);

// biome-ignore lint/suspicious/noExplicitAny: steps check the fields that they read
type Body = any;

/** Returns a random generator that gives the same numbers on every platform (mulberry32). */
function randomFrom(start: number) {
  let state = start >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  const pick = <T>(list: readonly T[]): T | undefined => list[below(list.length)];
  return { below, pick, chance: (of: number) => next() < of };
}

async function openWorld() {
  const db = await openMemoryDatabase();
  const clock = { ms: Date.parse('2026-11-20T12:00:00Z') };
  const model = new Model(EMAILS.map((email, at) => ({ email, proven: at < 4, banned: false })));
  const faults: unknown[] = [];
  const report = (error: unknown) => void faults.push(error);
  const parts = {
    db,
    identities: [
      {
        type: 'fake',
        handle: () => Promise.reject(new Error('not used')),
        verify: async (token: string) => JSON.parse(token) as IdentityPerson,
      },
    ],
    tokens: await createCloudTokens([await newSigningKey()], () => clock.ms),
    ownTokens: createOwnTokens(
      () => Promise.reject(new Error('not used')),
      () => clock.ms,
      report,
    ),
    signUp: 'open' as const,
    mailer: { send: async () => undefined },
    background: createBackground(report),
    consoleUrl: 'https://console.example',
    now: () => ++clock.ms,
    report,
  };
  const personAt = (p: number, organization?: IdentityPerson['organization']): IdentityPerson => ({
    provider: 'fake',
    providerUserId: `id-${p}`,
    email: EMAILS[p] ?? '',
    emailVerified: model.people[p]?.proven === true,
    name: `P${p}`,
    ...(organization && { organization }),
  });
  /**
   * Sends a request with fresh rate limits, because limits follow the wall clock and don't concern
   * rights.
   */
  const ask = async (type: string, payload: object, auth: object): Promise<[Outcome, Body]> => {
    const { status, body } = await createAdmin(parts)({ type, auth, ...payload });
    return [(status === 200 ? 'OK' : String(body['code'])) as Outcome, body];
  };
  const askAs = (p: number, type: string, payload: object = {}, org?: IdentityPerson['organization']) =>
    ask(type, payload, { type: 'fake', token: JSON.stringify(personAt(p, org)) });
  const userIds: string[] = [];
  for (let p = 0; p < PEOPLE; p += 1) userIds.push((await askAs(p, 'reqEnsureUser'))[1].user.userId);
  return { db, clock, model, faults, ask, askAs, userIds };
}

type World = Awaited<ReturnType<typeof openWorld>>;
type Random = ReturnType<typeof randomFrom>;
/** Returns the answers of server and model; undefined when the step can't run in this state. */
type Step = (world: World, random: Random) => Promise<readonly [Outcome, Outcome] | undefined>;

const tenantOf = ({ model }: World, { pick }: Random): Tenant | undefined =>
  pick(model.tenants.filter((t) => t !== undefined));

const newTenant = (id: string, owner: number, follows: boolean): Tenant => ({
  id,
  owner,
  members: new Map([[owner, { role: 'admin', follows }]]),
  ledgers: [],
  ended: new Map(),
  tokens: new Set(),
});

/**
 * Sends requests about a tenant, mostly as one of its admins, because most requests of other people
 * are denied.
 */
const inTenant =
  (
    step: (
      world: World,
      t: Tenant,
      p: number,
      q: number,
      random: Random,
      l: Ledger | undefined,
    ) => Promise<readonly [Outcome, Outcome] | undefined>,
  ): Step =>
  async (world, random) => {
    const t = tenantOf(world, random);
    if (t === undefined) return undefined;
    const admins = [...t.members.keys()].filter((one) => world.model.isAdmin(one, t));
    const p = (random.chance(0.7) ? random.pick(admins) : undefined) ?? random.below(PEOPLE);
    const members = [...t.members.keys()];
    const q = (random.chance(0.6) ? random.pick(members) : undefined) ?? random.below(PEOPLE);
    const l = random.pick(t.ledgers);
    return step(world, t, p, q, random, l);
  };

const ofInvite =
  (type: string, act: 'redeem' | 'reject' | 'withdraw'): Step =>
  async ({ model, askAs, userIds }, random) => {
    const all = random.chance(0.8)
      ? model.invites.filter(({ status }) => status === 'pending')
      : model.invites;
    const invite = random.pick(all);
    if (invite === undefined) return undefined;
    const named = model.people.flatMap((one, p) =>
      p === invite.user || one.email === invite.email ? [p] : [],
    );
    const wanted = act === 'withdraw' ? [...invite.tenant.members.keys()] : named;
    const p = (random.chance(0.8) ? random.pick(wanted) : undefined) ?? random.below(PEOPLE);
    const [said] = await askAs(p, type, { inviteId: invite.id });
    return [
      said,
      model.people[p]?.banned || userIds[p] === undefined ? 'NOT_SIGNED_IN' : model[act](p, invite),
    ];
  };

/** Returns the parameters of an invite to a tenant, or to one of its ledgers. */
const paramsFor = (t: Tenant, l: Ledger | undefined, { role, right }: Pick<Invite, 'role' | 'right'>) =>
  l ? { ledger: { id: l.id, right } } : { tenant: { id: t.id, role } };

/** Sets whether a person's sign-in provider reports their address as verified. */
async function setProven({ model, askAs }: World, p: number, proven: boolean): Promise<Outcome> {
  const person = model.people[p];
  if (person) person.proven = proven;
  return (await askAs(p, 'reqEnsureUser'))[0];
}

const unlessBanned = ({ model }: World, p: number, act: () => Outcome): Outcome =>
  model.people[p]?.banned ? 'NOT_SIGNED_IN' : act();

const giftFrom = ({ pick }: Random): Pick<Invite, 'role' | 'right'> => ({
  role: pick(['admin', 'member'] as const) ?? 'member',
  right: pick(['read', 'write'] as const) ?? 'read',
});

async function invite(
  world: World,
  p: number,
  t: Tenant,
  l: Ledger | undefined,
  to: { user: number } | { email: string },
  random: Random,
): Promise<readonly [Outcome, Outcome]> {
  const gift = giftFrom(random);
  const query = 'user' in to ? { existingUserId: world.userIds[to.user] } : { byEmail: to.email };
  const ticket = { query, invitedParams: paramsFor(t, l, gift) };
  const [said, body] = await world.askAs(p, 'reqInviteUser', { ticket });
  const given = { id: body.invite?.inviteId ?? 'none', ...gift };
  return [said, unlessBanned(world, p, () => world.model.invite(p, t, l, to, given))];
}

/**
 * Ends a person's access, then verifies their address, to which an older invite was sent. Random
 * steps rarely occur in this order.
 */
async function returnByProvenAddress(
  world: World,
  t: Tenant,
  p: number,
  _: number,
  random: Random,
  some: Ledger | undefined,
): Promise<readonly [Outcome, Outcome] | undefined> {
  const { model, askAs, userIds } = world;
  const q = random.pick([4, 5].filter((one) => t.members.has(one) && t.owner !== one));
  if (q === undefined || model.people[q]?.banned) return undefined;
  const l = random.chance(0.5) ? some : undefined;
  await setProven(world, q, false);
  requireSame(...(await invite(world, p, t, l, { email: EMAILS[q] ?? '' }, random)));
  const sent = model.invites.at(-1);
  const place = l ? { ledger: { tenantId: t.id, ledgerId: l.id } } : { tenantId: t.id };
  const request = l ? 'reqUnshareLedger' : 'reqRemoveMember';
  const [said] = await askAs(p, request, { ...place, userId: userIds[q] });
  const lose = () => (l ? model.share(p, t, l, q, 'none') : model.remove(p, t, q));
  requireSame(said, unlessBanned(world, p, lose));
  await setProven(world, q, true);
  if (sent === undefined) return undefined;
  const [answered] = await askAs(q, 'reqRedeemInvite', { inviteId: sent.id });
  return [answered, model.redeem(q, sent)];
}

const STEPS_BY_WEIGHT: readonly (readonly [number, Step])[] = [
  [
    20,
    inTenant(async (world, t, p, q, random, some) => {
      const l = random.chance(0.5) ? some : undefined;
      const to = random.chance(0.5) ? { user: q } : { email: EMAILS[q] ?? '' };
      return invite(world, p, t, l, to, random);
    }),
  ],
  [
    3,
    async (world, random) => {
      const { model, askAs } = world;
      const invite = random.pick(model.invites.filter(({ status }) => status === 'pending'));
      if (invite === undefined) return undefined;
      const { id: inviteId, tenant, ledger } = invite;
      const p = (random.chance(0.8) ? random.pick([...tenant.members.keys()]) : undefined) ?? 0;
      const to = giftFrom(random);
      const query = { byEmail: EMAILS[5] };
      const ticket = { inviteId, query, invitedParams: paramsFor(tenant, ledger, to) };
      const [said] = await askAs(p, 'reqInviteUser', { ticket });
      return [said, unlessBanned(world, p, () => model.change(p, invite, to))];
    },
  ],
  [1, inTenant(returnByProvenAddress)],
  [22, ofInvite('reqRedeemInvite', 'redeem')],
  [2, ofInvite('reqRejectInvite', 'reject')],
  [4, ofInvite('reqDeleteInvite', 'withdraw')],
  [
    7,
    inTenant(async (world, t, p, q, random) => {
      const role = random.pick(['admin', 'member'] as const) ?? 'member';
      const change = { tenantId: t.id, userId: world.userIds[q], role };
      const [said] = await world.askAs(p, 'reqUpdateUserTenant', change);
      return [said, unlessBanned(world, p, () => world.model.changeRole(p, t, q, role))];
    }),
  ],
  [
    8,
    inTenant(async (world, t, p, other, random) => {
      const q = random.chance(0.3) ? p : other;
      const [said] = await world.askAs(p, 'reqRemoveMember', { tenantId: t.id, userId: world.userIds[q] });
      return [said, unlessBanned(world, p, () => world.model.remove(p, t, q))];
    }),
  ],
  [
    3,
    inTenant(async (world, t, other, q, random) => {
      const p = random.chance(0.7) ? t.owner : other;
      const [said] = await world.askAs(p, 'reqTransferTenant', { tenantId: t.id, userId: world.userIds[q] });
      return [said, unlessBanned(world, p, () => world.model.handOver(p, t, q))];
    }),
  ],
  [
    12,
    inTenant(async (world, t, p, q, random, l) => {
      if (l === undefined) return undefined;
      const right = random.pick(['read', 'write', 'none'] as const) ?? 'none';
      const asked = { ledger: { tenantId: t.id, ledgerId: l.id }, userId: world.userIds[q] };
      const [said] = await (right === 'none'
        ? world.askAs(p, 'reqUnshareLedger', asked)
        : world.askAs(p, 'reqShareLedger', { ...asked, right }));
      return [said, unlessBanned(world, p, () => world.model.share(p, t, l, q, right))];
    }),
  ],
  [
    6,
    inTenant(async (world, t, p, _, random, l) => {
      const { model } = world;
      const name = `ledger ${random.below(1e9)}`;
      if (t.ledgers.length < 2 || l === undefined) {
        const [said, body] = await world.askAs(p, 'reqCreateLedger', { ledger: { tenantId: t.id, name } });
        if (said === 'OK')
          t.ledgers.push({ id: body.ledger.ledgerId, creator: p, rows: new Map([[p, 'write']]) });
        return [said, unlessBanned(world, p, () => (model.isAdmin(p, t) ? 'OK' : 'DENIED'))];
      }
      if (random.chance(0.9)) return undefined;
      const [said] = await world.askAs(p, 'reqDeleteLedger', { ledger: { tenantId: t.id, ledgerId: l.id } });
      const may = unlessBanned(world, p, () => (model.isAdmin(p, t) ? 'OK' : 'DENIED'));
      if (may === 'OK') {
        t.ledgers = t.ledgers.filter((one) => one !== l);
        model.invites = model.invites.filter((one) => one.ledger !== l);
      }
      return [said, may];
    }),
  ],
  [
    3,
    async (world, { below }) => {
      const { model, askAs } = world;
      const at = model.tenants.findIndex((t, slot) => t === undefined && slot > 0);
      const p = below(PEOPLE);
      if (at < 0) return undefined;
      const [said, body] = await askAs(p, 'reqCreateTenant', { tenant: { name: `T${at}` } });
      if (said === 'OK') model.tenants[at] = newTenant(body.tenant.tenantId, p, false);
      return [said, unlessBanned(world, p, () => 'OK')];
    },
  ],
  [
    1,
    inTenant(async (world, t, p, _, random) => {
      if (random.chance(0.8)) return undefined;
      const { model } = world;
      const [said] = await world.askAs(p, 'reqDeleteTenant', { tenantId: t.id });
      const may = unlessBanned(world, p, () => (model.isAdmin(p, t) ? 'OK' : 'DENIED'));
      if (may === 'OK') {
        for (const token of t.tokens) model.loseToken(t, token);
        model.tenants[model.tenants.indexOf(t)] = undefined;
        model.invites = model.invites.filter(({ tenant }) => tenant !== t);
      }
      return [said, may];
    }),
  ],
  [
    8,
    async ({ model, askAs }, random) => {
      const p = random.below(PEOPLE);
      const role = random.chance(0.5) ? 'admin' : 'member';
      const [said, body] = await askAs(p, 'reqEnsureUser', {}, { id: 'org', name: 'Org', role });
      const t = model.tenants[0];
      if (t !== undefined) model.follow(p, t, role);
      else if (role === 'admin' && !model.people[p]?.banned) {
        const [made] = body.tenants.filter(
          ({ tenantId }: { tenantId: string }) => !model.tenants.some((one) => one?.id === tenantId),
        );
        model.tenants[0] = newTenant(made?.tenantId, p, true);
      }
      return [said, 'OK'];
    },
  ],
  [
    3,
    async (world, random) => {
      const p = 4 + random.below(2);
      return [await setProven(world, p, random.chance(0.6)), 'OK'];
    },
  ],
  [
    3,
    async ({ model, db, userIds }, random) => {
      const p = random.below(PEOPLE);
      const person = model.people[p];
      if (person === undefined) return undefined;
      person.banned = !person.banned && random.chance(0.4);
      const status = person.banned ? 'banned' : 'active';
      await db
        .updateTable('Users')
        .set({ status })
        .where('userId', '=', userIds[p] ?? '')
        .execute();
      return undefined;
    },
  ],
  [
    6,
    inTenant(async (world, t, p, q, random, l) => {
      const { model, ask, askAs } = world;
      const lost = model.lostTokens.at(-1 - random.below(20));
      if (lost !== undefined && random.chance(0.2)) {
        const auth = { type: 'api-token', token: lost.split(' ')[1] };
        return [(await ask('reqListLedgersByUser', { tenantIds: [t.id] }, auth))[0], 'NOT_SIGNED_IN'];
      }
      const [token] = [...t.tokens];
      if (token !== undefined && random.chance(0.5)) {
        const [owner = '', secret = ''] = token.split(' ');
        const auth = { type: 'api-token', token: secret };
        const [said] = await ask('reqListLedgersByUser', { tenantIds: [t.id] }, auth);
        return [said, unlessBanned(world, Number(owner), () => 'OK')];
      }
      if (l !== undefined) {
        const selected = { tenant: t.id, ledger: l.id };
        const [said] = await askAs(q, 'reqCloudSessionToken', { selected });
        const may = () => (model.access(q, t, l) === 'none' ? 'NOT_FOUND' : 'OK');
        return [said, unlessBanned(world, q, may)];
      }
      if (t.tokens.size > 3) return undefined;
      const [said, body] = await askAs(p, 'reqCreateApiToken', { tenantId: t.id, name: 'ci', days: 366 });
      if (said === 'OK') t.tokens.add(`${p} ${body.token}`);
      return [said, unlessBanned(world, p, () => (model.isAdmin(p, t) ? 'OK' : 'DENIED'))];
    }),
  ],
];

const WEIGHTED = STEPS_BY_WEIGHT.flatMap(([weight, step]) => Array<Step>(weight).fill(step));

function requireSame(said: Outcome, expected: Outcome, where?: string): void {
  const isDenied = expected === 'DENIED' && ['NOT_FOUND', 'FORBIDDEN'].includes(said);
  if (!isDenied) expect(said, where).toBe(expected);
}

/** Gives new tenants and ledgers the limits of the model. */
async function tighten({ db }: World): Promise<void> {
  const { roles, invites, shares } = LIMITS_OF_MODEL;
  const ofTenant = { maxAdminUsers: roles, maxMemberUsers: roles, maxInvites: invites };
  await db.updateTable('Tenants').set(ofTenant).where('maxInvites', '!=', invites).execute();
  await db.updateTable('Ledgers').set({ maxShares: shares }).where('maxShares', '!=', shares).execute();
}

/** Compares the tables with the model: memberships, rights, invites, API tokens and counts. */
async function compare({ db, model, userIds, faults }: World): Promise<void> {
  expect(faults).toEqual([]);
  const rows = await db.selectFrom('TenantUsers').select(['tenantId', 'userId', 'role']).execute();
  const stored = rows.map((row) => `${row.tenantId} ${row.userId} ${row.role}`).sort();
  const tenants = model.tenants.filter((t) => t !== undefined);
  const known = tenants.flatMap((t) =>
    [...t.members].map(([p, { role }]) => `${t.id} ${userIds[p]} ${role}`),
  );
  expect(stored).toEqual(known.sort());
  const invites = await db.selectFrom('InviteTickets').select(['inviteId', 'status']).execute();
  const states = (list: readonly { id: string; status: string }[]) =>
    list.map(({ id, status }) => `${id} ${status}`).sort();
  expect(states(invites.map(({ inviteId: id, status }) => ({ id, status })))).toEqual(states(model.invites));
  const tokens = await db.selectFrom('ApiTokens').select(['tenantId', 'userId']).execute();
  const wanted = tenants.flatMap((t) =>
    [...t.tokens].map((token) => `${t.id} ${userIds[Number(token.split(' ')[0])]}`),
  );
  expect(tokens.map(({ tenantId, userId }) => `${tenantId} ${userId}`).sort()).toEqual(wanted.sort());
  for (const [p, userId] of userIds.entries())
    expect(await countTenantsOwnedBy(db, userId)).toBe(model.owned(p));
  for (const t of tenants) {
    for (const role of ['admin', 'member'] as const) {
      expect(await countMembers(db, t.id, role)).toBe(model.count(t, role));
      expect(model.count(t, role)).toBeLessThanOrEqual(LIMITS_OF_MODEL.roles);
    }
    expect(model.role(t.owner, t)).toBe('admin');
    for (const l of t.ledgers) {
      const shares = await listShares(db, l.id);
      expect(shares.map(({ userId }) => userIds.indexOf(userId)).sort()).toEqual(model.shares(t, l).sort());
      for (const [p, userId] of userIds.entries())
        expect(await accessTo(db, userId, t.id, l.id), `${p} in ${l.id}`).toBe(model.access(p, t, l));
    }
  }
}

test('[S5][S6] matches the model in rights and counters after random sequences of actions', async () => {
  const world = await openWorld();
  const random = randomFrom(seed());
  const seen = new Map<string, number>();
  for (let step = 1; step <= STEPS; step += 1) {
    const chosen = random.pick(WEIGHTED);
    const outcome = await chosen?.(world, random);
    if (outcome === undefined) {
      step -= 1;
      continue;
    }
    await tighten(world);
    const [said, expected] = outcome;
    requireSame(said, expected, `step ${step}`);
    seen.set(said, (seen.get(said) ?? 0) + 1);
    // Resets the counts of mails, because the limits of mails don't concern rights.
    if (step % 4 === 0) await world.db.deleteFrom('MailCounts').execute();
    if (step % CHECK_EVERY === 0) await compare(world);
    if (step % 1000 === 0) {
      // Skips eight days, so that invites expire.
      world.clock.ms += 8 * DAY_MS;
      await expireOverdue(world.db, timestamp(world.clock.ms));
      for (const invite of world.model.invites) if (invite.status === 'pending') invite.status = 'expired';
    }
  }
  for (const outcome of [
    'OK',
    'CONFLICT',
    'LIMIT_REACHED',
    'INVITE_ENDED',
    'EMAIL_UNVERIFIED',
    'NOT_SIGNED_IN',
  ])
    expect(seen.get(outcome), outcome).toBeGreaterThan(STEPS / 2000);
});
