import { FixpointError } from '@fixpoint/protocol';
import type { AdminClient } from '@fixpoint/protocol/admin';
import { type Command, required, UsageError } from '../command.ts';
import { adminFor, SERVER_OPTIONS, unwrap } from '../credentials.ts';

export const ledgers: Command = {
  summary: 'list, create, rename and delete databases of the cloud',
  usage: [
    'ledgers [--tenant T]',
    'ledgers create <name> --tenant T',
    'ledgers rename <id> <name>',
    'ledgers delete <id> --yes',
  ],
  options: {
    ...SERVER_OPTIONS,
    tenant: { type: 'string', value: 'ID', help: 'only databases of this tenant' },
    yes: { type: 'boolean', help: "delete the database with all its documents; this can't be undone" },
  },
  takes: { list: 0, create: 1, rename: 2, delete: 1 },
  run: async (call) => {
    const api = adminFor(call);
    const [verb = 'list', first, second] = call.args;
    const tenantId = call.text('tenant');
    switch (verb) {
      case 'list': {
        const listed = unwrap(await api.listLedgersByUser(tenantId === undefined ? undefined : [tenantId]));
        const lines = listed.map((ledger) => `${ledger.ledgerId}  ${ledger.tenantId}  ${ledger.name}`);
        return { json: { ledgers: listed }, lines };
      }
      case 'create': {
        const asked = { tenantId: required(tenantId, '--tenant'), name: required(first, 'a name') };
        const ledger = unwrap(await api.createLedger(asked));
        return { json: { ledger }, lines: [ledger.ledgerId] };
      }
      case 'rename': {
        const ids = await idsOf(api, required(first, 'an id'));
        const ledger = unwrap(await api.updateLedger({ ...ids, name: required(second, 'a name') }));
        return { json: { ledger }, lines: [`Renamed ${ledger.ledgerId} to ${ledger.name}.`] };
      }
      case 'delete': {
        const id = required(first, 'an id');
        if (!call.flag('yes')) throw new UsageError('this deletes all its documents: add --yes to confirm');
        unwrap(await api.deleteLedger(await idsOf(api, id)));
        return { json: { ledgerId: id }, lines: [`Deleted ${id}.`] };
      }
      default:
        throw new UsageError(`there is no command ledgers ${verb}`);
    }
  },
};

/**
 * Returns the ids of a ledger and its tenant. Users pass only the id of the ledger, but requests
 * need both ids.
 * @throws FixpointError NOT_FOUND
 */
async function idsOf(api: AdminClient, id: string): Promise<{ tenantId: string; ledgerId: string }> {
  const found = unwrap(await api.listLedgersByUser()).find(({ ledgerId }) => ledgerId === id);
  if (found === undefined) throw new FixpointError('NOT_FOUND', id);
  return { tenantId: found.tenantId, ledgerId: id };
}
