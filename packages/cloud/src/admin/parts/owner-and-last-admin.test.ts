import { describe, expect, test } from 'vitest';
import { getMember } from '../../tables/tenants/tenant-users.ts';
import { bringIn, makeTenant, openAdmin } from '../admin.fixture.ts';
import { requireNotLastAdmin } from './owner-and-last-admin.ts';

async function tenantOf() {
  const world = await openAdmin();
  const ada = await world.signUp('ada');
  return { ...world, ada, tenantId: await makeTenant(ada) };
}

describe('the last admin', () => {
  test("[S6] can't be removed if no other admin can act", async () => {
    const { db, tenantId, ada, signUp } = await tenantOf();
    const own = (await getMember(db, tenantId, ada.userId)) as NonNullable<
      Awaited<ReturnType<typeof getMember>>
    >;
    const conflict = expect.objectContaining({ code: 'CONFLICT' });
    await expect(requireNotLastAdmin(db, own)).rejects.toThrow(conflict);
    const bob = await signUp('bob');
    await bringIn(ada, tenantId, bob, 'admin');
    await requireNotLastAdmin(db, own);
    // A banned admin can't act.
    await db.updateTable('Users').set({ status: 'banned' }).where('userId', '=', bob.userId).execute();
    await expect(requireNotLastAdmin(db, own)).rejects.toThrow(conflict);
    // The banned admin can be removed, and so can a member.
    await requireNotLastAdmin(db, { ...own, userId: bob.userId });
    await requireNotLastAdmin(db, { ...own, role: 'member' });
  });
});
