import { type Command, required, UsageError } from '../command.ts';
import { adminFor, SERVER_OPTIONS, unwrap } from '../credentials.ts';
import { idsOfLedger, ledgersOf } from '../user-ledgers.ts';

export const ledgers: Command = {
  usage: [
    'ledgers [--tenant ID]',
    'ledgers create <name> --tenant ID',
    'ledgers rename <id> <name>',
    'ledgers delete <id> --yes',
  ],
  options: {
    ...SERVER_OPTIONS,
    tenant: { type: 'string', value: 'ID', help: 'list or create databases of this tenant' },
    yes: {
      type: 'boolean',
      help: "confirm the deletion of the database and all its documents; this can't be undone",
    },
  },
  takes: { list: 0, create: 1, rename: 2, delete: 1 },
  run: async (call) => {
    const api = adminFor(call);
    const [verb = 'list', first, second] = call.args;
    const tenantId = call.text('tenant');
    switch (verb) {
      case 'list': {
        const listed = await ledgersOf(api, tenantId === undefined ? undefined : [tenantId]);
        const lines = listed.map((ledger) => `${ledger.ledgerId}  ${ledger.tenantId}  ${ledger.name}`);
        return { json: { ledgers: listed }, lines };
      }
      case 'create': {
        const asked = {
          tenantId: required(tenantId, '--tenant'),
          name: required(first, 'the name of the database'),
        };
        const ledger = unwrap(await api.createLedger(asked));
        return { json: { ledger }, lines: [ledger.ledgerId] };
      }
      case 'rename': {
        const ids = await idsOfLedger(api, required(first, 'the id of the database'));
        const ledger = unwrap(await api.updateLedger({ ...ids, name: required(second, 'the new name') }));
        return { json: { ledger }, lines: [`Renamed ${ledger.ledgerId} to ${ledger.name}.`] };
      }
      case 'delete': {
        const id = required(first, 'the id of the database');
        if (!call.flag('yes'))
          throw new UsageError('this deletes the database and all its documents: add --yes to confirm');
        unwrap(await api.deleteLedger(await idsOfLedger(api, id)));
        return { json: { ledgerId: id }, lines: [`Deleted ${id}.`] };
      }
      default:
        throw new UsageError(`there is no command ledgers ${verb}`);
    }
  },
};
