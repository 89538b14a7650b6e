import { CLOUD_TOKEN_SECONDS_MAX } from '@fixpoint/protocol/admin';
import { type Call, type Command, type Outcome, required } from '../command.ts';
import { adminFor, SERVER_OPTIONS, unwrap } from '../credentials.ts';

export const token: Command = {
  usage: ['token [--tenant ID] [--ledger ID] [--all]', 'token list [--tenant ID]', 'token revoke <token id>'],
  options: {
    ...SERVER_OPTIONS,
    tenant: {
      type: 'string',
      value: 'ID',
      help: 'tenant; default: your first tenant. Without this option, `list` lists your devices',
    },
    ledger: { type: 'string', value: 'ID', help: 'database; default: the first database of the tenant' },
    all: { type: 'boolean', help: 'print a token for all databases that you may use' },
  },
  takes: { '': 0, list: 0, revoke: 1 },
  run: async (call) => {
    const [verb, tokenId] = call.args;
    if (verb === undefined) return mint(call);
    if (verb === 'list') return list(call);
    const revoked = unwrap(await adminFor(call).revokeApiToken(required(tokenId, 'the id of the token')));
    return { json: { tokenId: revoked }, lines: [`Revoked ${revoked}.`] };
  },
};

async function mint(call: Call): Promise<Outcome> {
  const [tenant, ledger] = [call.text('tenant'), call.text('ledger')];
  const selected = { ...(tenant !== undefined && { tenant }), ...(ledger !== undefined && { ledger }) };
  const opens = call.flag('all') ? 'all' : 'ledger';
  const lifeSeconds = CLOUD_TOKEN_SECONDS_MAX;
  const minted = unwrap(await adminFor(call).cloudSessionToken({ selected, opens, lifeSeconds }));
  return { json: { token: minted }, lines: [minted] };
}

async function list(call: Call): Promise<Outcome> {
  const apiTokens = unwrap(await adminFor(call).listApiTokens(call.text('tenant')));
  const lines = apiTokens.map(({ tokenId, right, expiresAt, lastUsedAt, name }) =>
    [tokenId, right, `until ${expiresAt.slice(0, 10)}`, `used ${lastUsedAt ?? 'never'}`, name].join('  '),
  );
  return { json: { apiTokens }, lines };
}
