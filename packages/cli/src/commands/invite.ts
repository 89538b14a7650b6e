import type { Payload } from '@fixpoint/protocol/admin';
import { type Call, type Command, type Outcome, required, UsageError } from '../command.ts';
import { adminFor, SERVER_OPTIONS, unwrap } from '../credentials.ts';

export const invite: Command = {
  usage: [
    'invite <email> --tenant ID [--role admin|member]',
    'invite <email> --ledger ID [--right read|write]',
    'invite list [--tenant ID]',
    'invite revoke <invite id>',
  ],
  options: {
    ...SERVER_OPTIONS,
    tenant: {
      type: 'string',
      value: 'ID',
      help: 'invite to this tenant; for `list`: only invites of this tenant',
    },
    ledger: { type: 'string', value: 'ID', help: 'invite to this database' },
    role: { type: 'string', value: 'ROLE', help: 'role in the tenant: admin or member; default: member' },
    right: { type: 'string', value: 'RIGHT', help: 'right in the database: read or write; default: read' },
  },
  takes: { '': 1, list: 0, revoke: 1 },
  run: async (call) => {
    const [first, second] = call.args;
    const api = adminFor(call);
    if (first === 'list') return list(call);
    if (first === 'revoke') {
      const inviteId = unwrap(await api.deleteInvite(required(second, 'the id of the invite')));
      return { json: { inviteId }, lines: [`Revoked ${inviteId}.`] };
    }
    const query = { byEmail: required(first, 'an email address') };
    const made = unwrap(await api.inviteUser({ query, invitedParams: giftOf(call) }));
    return { json: { invite: made }, lines: [`${made.inviteId}  until ${made.expiresAfter.slice(0, 10)}`] };
  },
};

type Gift = Payload<'reqInviteUser'>['ticket']['invitedParams'];

function giftOf({ text }: Call): Gift {
  const [tenant, ledger] = [text('tenant'), text('ledger')];
  const [role = 'member', right = 'read'] = [text('role'), text('right')];
  if ((tenant === undefined) === (ledger === undefined))
    throw new UsageError('use either --tenant or --ledger');
  if (ledger !== undefined && text('role') !== undefined) throw new UsageError('--role needs --tenant');
  if (tenant !== undefined && text('right') !== undefined) throw new UsageError('--right needs --ledger');
  if (role !== 'admin' && role !== 'member')
    throw new UsageError(`--role must be admin or member, not ${role}`);
  if (right !== 'read' && right !== 'write')
    throw new UsageError(`--right must be read or write, not ${right}`);
  if (tenant !== undefined) return { tenant: { id: tenant, role } };
  return { ledger: { id: required(ledger, '--ledger'), right } };
}

async function list(call: Call): Promise<Outcome> {
  const tenant = call.text('tenant');
  const invites = unwrap(
    await adminFor(call).listInvites(tenant === undefined ? {} : { tenantIds: [tenant] }),
  );
  const lines = invites.map(({ inviteId, status, query, invitedUserId }) =>
    [inviteId, status, query.byEmail ?? invitedUserId ?? ''].join('  '),
  );
  return { json: { invites }, lines };
}
