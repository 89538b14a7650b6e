import { type Command, required, UsageError } from '../command.ts';
import { adminFor, SERVER_OPTIONS, unwrap } from '../credentials.ts';

export const tenants: Command = {
  usage: ['tenants', 'tenants create <name>', 'tenants rename <id> <name>', 'tenants delete <id> --yes'],
  options: {
    ...SERVER_OPTIONS,
    yes: {
      type: 'boolean',
      help: "confirm the deletion of the tenant and all its databases; this can't be undone",
    },
  },
  takes: { list: 0, create: 1, rename: 2, delete: 1 },
  run: async (call) => {
    const api = adminFor(call);
    const [verb = 'list', first, second] = call.args;
    switch (verb) {
      case 'list': {
        const listed = unwrap(await api.listTenantsByUser());
        const lines = listed.map(
          ({ tenantId, role, tenant }) => `${tenantId}  ${role}  ${tenant.name ?? ''}`,
        );
        return { json: { tenants: listed }, lines };
      }
      case 'create': {
        const tenant = unwrap(await api.createTenant(required(first, 'the name of the tenant')));
        return { json: { tenant }, lines: [tenant.tenantId] };
      }
      case 'rename': {
        const change = {
          tenantId: required(first, 'the id of the tenant'),
          name: required(second, 'the new name'),
        };
        const tenant = unwrap(await api.updateTenant(change.tenantId, change.name));
        return { json: { tenant }, lines: [`Renamed ${tenant.tenantId} to ${tenant.name}.`] };
      }
      case 'delete': {
        const tenantId = required(first, 'the id of the tenant');
        if (!call.flag('yes'))
          throw new UsageError('this deletes the tenant and all its databases: add --yes to confirm');
        unwrap(await api.deleteTenant(tenantId));
        return { json: { tenantId }, lines: [`Deleted ${tenantId}.`] };
      }
      default:
        throw new UsageError(`there is no command tenants ${verb}`);
    }
  },
};
