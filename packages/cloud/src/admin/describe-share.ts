import type { Share } from '@fixpoint/protocol/admin';
import type { ShareRow } from '../tables/ledgers/ledger-users.ts';
import { roleOf } from './describe-tenant.ts';

export const describeShare = ({ role, right, name, email, ...row }: ShareRow): Share => ({
  ...row,
  role: roleOf(role),
  right: right === 'write' ? 'write' : 'read',
  ...(name !== null && { name }),
  ...(email !== null && { email }),
});
