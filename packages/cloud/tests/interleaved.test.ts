import { expect, test } from 'vitest';
import { budget, patienceMs } from '../../engine/tests/budget.fixture.ts';
import { testCloud } from './cloud.fixture.ts';
import { newPerson, ownLedger, type PersonOnline } from './person.fixture.ts';

const USERS = 20;
const CALLS = budget({ commit: 600, night: 10_000, release: 100_000 });
const AT_ONCE = 60;

/** Sends a request, and checks that the answer belongs to the caller. */
type Call = (person: PersonOnline) => Promise<void>;

function callsOf(
  cloud: { tokens: { verify(token: string): Promise<{ userId: string }> } },
  ids: Map<PersonOnline, string>,
): Call[] {
  return [
    async (person) => expect((await person.ask('reqEnsureUser')).user.userId).toBe(person.userId),
    async (person) => {
      const { userId, tenants } = await person.ask('reqListTenantsByUser');
      expect(userId).toBe(person.userId);
      expect(tenants.map(({ tenantId }: { tenantId: string }) => tenantId)).toEqual([ids.get(person)]);
    },
    async (person) => {
      const { userId, ledgers } = await person.ask('reqListLedgersByUser');
      expect(userId).toBe(person.userId);
      expect(ledgers.map(({ tenantId }: { tenantId: string }) => tenantId)).toEqual([ids.get(person)]);
    },
    async (person) => {
      const tenantId = ids.get(person);
      const name = `name of ${person.userId}`;
      const { tenant } = await person.ask('reqUpdateTenant', { tenant: { tenantId, name } });
      expect(tenant).toMatchObject({ tenantId, name, ownerUserId: person.userId });
    },
    async (person) => {
      const { status, body } = await person.send('reqCloudSessionToken', {
        selected: { tenant: ids.get(person) },
      });
      if (status === 429) return;
      expect(await cloud.tokens.verify(body.token)).toMatchObject({
        userId: person.userId,
        email: person.email,
        selected: { tenant: ids.get(person) },
      });
    },
  ];
}

test(
  `[S6] answers ${CALLS} calls of ${USERS} users, ${AT_ONCE} at a time, each with the caller's own data`,
  async () => {
    const cloud = await testCloud();
    const people: PersonOnline[] = [];
    for (let index = 0; index < USERS; index += 1) people.push(await newPerson(cloud.url, `user${index}`));
    const ids = new Map<PersonOnline, string>();
    for (const person of people) ids.set(person, (await ownLedger(person)).tenant);
    const calls = callsOf(cloud, ids);
    let next = 0;
    const work = async () => {
      for (let index = next++; index < CALLS; index = next++) {
        const [person, call] = [people[index % USERS], calls[Math.floor(index / USERS) % calls.length]];
        if (person !== undefined) await call?.(person);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(next).toBeGreaterThanOrEqual(CALLS);
  },
  patienceMs(),
);
