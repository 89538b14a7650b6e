import { describe, expect, test } from 'vitest';
import { inTransaction } from '../../tables/connection.ts';
import { insertMember } from '../../tables/tenants/tenant-users.ts';
import { bringIn, makeLedger, makeTenant, openAdmin } from '../admin.fixture.ts';
import { requireRoom, requireShareRoom } from './require-room.ts';

const AT = '2026-11-20T12:00:00.000Z';
const limitReached = expect.objectContaining({ code: 'LIMIT_REACHED' });
const notFound = expect.objectContaining({ code: 'NOT_FOUND' });

/** Opens a tenant with one admin and one ledger. */
async function tenantOf() {
  const world = await openAdmin();
  const ada = await world.signUp('ada');
  const tenantId = await makeTenant(ada);
  const ledgerId = await makeLedger(ada, tenantId);
  const limit = (more: { maxAdminUsers?: number; maxMemberUsers?: number }) =>
    world.db.updateTable('Tenants').set(more).where('tenantId', '=', tenantId).execute();
  return { ...world, ada, tenantId, ledgerId, limit };
}

describe('requireRoom', () => {
  test('[S6] accepts another member up to the limit of the role', async () => {
    const { db, tenantId, limit, signUp, ada } = await tenantOf();
    await limit({ maxAdminUsers: 1, maxMemberUsers: 1 });
    await expect(requireRoom(db, tenantId, 'admin', AT)).rejects.toThrow(limitReached);
    await requireRoom(db, tenantId, 'member', AT);
    await bringIn(ada, tenantId, await signUp('bob'));
    await expect(requireRoom(db, tenantId, 'member', AT)).rejects.toThrow(limitReached);
    // The two roles are counted separately.
    await limit({ maxAdminUsers: 2 });
    await requireRoom(db, tenantId, 'admin', AT);
  });

  test('[S6] accepts only one of several people who join in parallel, if only one place is free', async () => {
    const { db, tenantId, limit, signUp } = await tenantOf();
    await limit({ maxMemberUsers: 1 });
    const people = [await signUp('bob'), await signUp('cyd'), await signUp('dan')];
    const joined = await Promise.allSettled(
      people.map(({ userId }) =>
        inTransaction(db, async (tx) => {
          await requireRoom(tx, tenantId, 'member', AT);
          await insertMember(tx, { tenantId, userId, role: 'member' }, AT);
        }),
      ),
    );
    expect(joined.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('rejects with NOT_FOUND if the tenant was deleted', async () => {
    const { db } = await tenantOf();
    await expect(requireRoom(db, 'gone', 'member', AT)).rejects.toThrow(notFound);
  });
});

describe('requireShareRoom', () => {
  /** Shares the ledger with this number of people. */
  async function shared(count: number) {
    const world = await tenantOf();
    const { db, ledgerId } = world;
    const people = Array.from({ length: count }, (_, n) => `guest-${n}`);
    const standing = { status: 'active', statusReason: 'test', createdAt: AT, updatedAt: AT };
    const share = { ledgerId, role: 'member', right: 'read', name: null, default: 0, ...standing } as const;
    await db
      .insertInto('Users')
      .values(people.map((userId) => ({ userId, maxTenants: 1, ...standing })))
      .execute();
    await db
      .insertInto('LedgerUsers')
      .values(people.map((userId) => ({ ...share, userId })))
      .execute();
    return { ...world, people };
  }

  test('[S6] rejects another share at the limit, but still accepts a person who already has a share', async () => {
    const { db, tenantId, ledgerId, people } = await shared(5);
    const place = { tenantId, ledgerId };
    await expect(requireShareRoom(db, place, { userId: 'another' }, AT)).rejects.toThrow(limitReached);
    await expect(requireShareRoom(db, place, {}, AT)).rejects.toThrow(limitReached);
    await requireShareRoom(db, place, { userId: people[0] as string }, AT);
  });

  test('[S6] counts pending invites as shares, except for the invited person', async () => {
    const { db, ada, tenantId, ledgerId } = await shared(4);
    const place = { tenantId, ledgerId };
    await requireShareRoom(db, place, { userId: 'another' }, AT);
    await ada.ask('reqInviteUser', {
      ticket: {
        query: { byEmail: 'eve@example.com' },
        invitedParams: { ledger: { id: ledgerId, role: 'member', right: 'read' } },
      },
    });
    await expect(requireShareRoom(db, place, { userId: 'another' }, AT)).rejects.toThrow(limitReached);
    // The invited person gets the share that their invite reserved.
    await requireShareRoom(db, place, { userId: 'eve', isInvited: true }, AT);
    // An expired invite doesn't reserve a share.
    await requireShareRoom(db, place, { userId: 'another' }, '2030-01-01');
  });

  test('rejects with NOT_FOUND if the ledger or its tenant was deleted', async () => {
    const { db, tenantId, ledgerId } = await tenantOf();
    for (const place of [
      { tenantId, ledgerId: 'gone' },
      { tenantId: 'gone', ledgerId },
    ])
      await expect(requireShareRoom(db, place, {}, AT)).rejects.toThrow(notFound);
  });
});
