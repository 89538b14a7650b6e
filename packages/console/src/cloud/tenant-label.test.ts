import type { UserTenant } from '@fixpoint/protocol/admin';
import { expect, test } from 'vitest';
import { tenantLabel } from './tenant-label.ts';

const labelOf = (user: string | undefined, tenant: string | undefined) =>
  tenantLabel({
    tenantId: 't-1',
    role: 'admin',
    default: false,
    user: { status: 'active', ...(user !== undefined && { name: user }) },
    tenant: { status: 'active', ...(tenant !== undefined && { name: tenant }) },
  } satisfies UserTenant);

test('[2] shows the name that the user gave a tenant, else the tenant’s own name, else its id', () => {
  expect(labelOf('Work', 'Acme')).toBe('Work');
  expect(labelOf(undefined, 'Acme')).toBe('Acme');
  expect(labelOf('', 'Acme')).toBe('Acme');
  expect(labelOf(undefined, undefined)).toBe('t-1');
  expect(labelOf('', '')).toBe('t-1');
});
