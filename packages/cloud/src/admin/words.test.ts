/** Tests the error messages of the admin API that callers can act on. */
import { REQUESTS, type RequestType } from '@fixpoint/protocol/admin';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { makeTenant, openAdmin, personNamed } from './admin.fixture.ts';

describe('an error of the admin API', () => {
  test('reports that a name is too long', async () => {
    const { signUp } = await openAdmin();
    const ada = await signUp('ada');
    expect(await ada.refused('reqCreateTenant', { tenant: { name: 'x'.repeat(201) } })).toMatchObject({
      status: 400,
      message: 'request is not valid: Name must be at most 200 characters',
    });
  });

  test('has the code WAITLISTED for users on the waitlist, and NOT_SIGNED_IN for unknown users', async () => {
    const { signUp, callerFor } = await openAdmin('waitlist');
    const waiting = await signUp('ada');
    expect(await waiting.refused('reqListTenantsByUser', {})).toEqual({
      status: 403,
      code: 'WAITLISTED',
      message: 'you are on the waitlist',
    });
    expect(await callerFor(personNamed('eve')).refused('reqListTenantsByUser', {})).toMatchObject({
      status: 401,
      code: 'NOT_SIGNED_IN',
    });
  });

  test('contains the path of the wrong field', async () => {
    const { signUp, admin } = await openAdmin();
    const ada = await signUp('ada');
    const tenantId = await makeTenant(ada);
    const auth = { type: 'fake', token: JSON.stringify(ada.person) };
    for (const [request, path] of [
      [{ type: 'reqCreateTenant', tenant: { name: '' } }, 'tenant.name'],
      [{ type: 'reqCreateTenant' }, 'tenant'],
      [{ type: 'reqListInvites', tenantIds: [tenantId, 7] }, 'tenantIds.1'],
      [
        { type: 'reqInviteUser', ticket: { query: { byEmail: 7 }, invitedParams: {} } },
        'ticket.query.byEmail',
      ],
    ] as const)
      expect(await admin({ ...request, auth }), path).toMatchObject({
        status: 400,
        body: { code: 'REQUEST_INVALID', path },
      });
  });

  test('contains the field in its message, and the values that the field may have', async () => {
    const { signUp, admin } = await openAdmin();
    const ada = await signUp('ada');
    const auth = { type: 'fake', token: JSON.stringify(ada.person) };
    for (const [request, why] of [
      [null, 'the message must be an object'],
      [{ type: 'reqCreateTenant' }, 'tenant is required'],
      [{ type: 'reqCreateTenant', tenant: {} }, 'Name is required'],
      [{ type: 'reqListTenantsByUser', limit: 'many' }, 'limit must be a number'],
      [{ type: 'reqListTenantsByUser', limit: 5000 }, 'limit must be at most 1000'],
      [{ type: 'reqUpdateUserTenant', tenantId: 'z', role: 'owner' }, 'role must be one of admin, member'],
      [{ type: 'reqListInvites', tenantIds: 'z' }, 'tenantIds must be a list'],
      [{ type: 'reqDeleteTenant', tenantId: 'a b' }, 'tenantId must be 1 to 128 letters, digits, - or _'],
    ] as const)
      expect((await admin(request && { ...request, auth })).body['message']).toBe(
        `request is not valid: ${why}`,
      );
  });

  const WRONG = [null, 7, true, 'no text of a known form \u0000', [], [null], {}, { id: null }];

  /** Returns the names of the payload fields of a request. */
  const fieldsOf = (type: RequestType) => Object.keys(REQUESTS[type].payload.entries);

  test.each(Object.keys(REQUESTS) as RequestType[])(
    '%s: rejects each field of a wrong type with its path, and never reports a fault',
    async (type) => {
      const { signUp, admin, faults } = await openAdmin();
      const ada = await signUp('ada');
      const auth = { type: 'fake', token: JSON.stringify(ada.person) };
      for (const field of fieldsOf(type))
        for (const wrong of WRONG) {
          const { status, body } = await admin({ type, auth, [field]: wrong }, '192.0.2.1');
          expect(status, `${field}: ${JSON.stringify(wrong)}`).toBeLessThan(500);
          if (status === 400 && body['path'] !== undefined)
            expect(fieldsOf(type)).toContain(String(body['path']).split('.')[0]);
          const success = v.is(REQUESTS[type].payload, { [field]: wrong });
          if (!success && status !== 429)
            expect(body, `${field}: ${JSON.stringify(wrong)}`).toMatchObject({ code: 'REQUEST_INVALID' });
        }
      expect(faults).toEqual([]);
    },
  );
});
