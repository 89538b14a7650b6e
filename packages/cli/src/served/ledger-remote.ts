/** Finds the ledger that a command syncs with. */
import { gatewayBase } from '@fixpoint/protocol';
import { CLOUD_TOKEN_SECONDS_MAX } from '@fixpoint/protocol/admin';
import { type LedgerKind, type MemberOptions, type Remote, toCloud } from 'fixpoint';
import type { Call, Option } from '../command.ts';
import { adminFor, SERVER_OPTIONS, serverOf, unwrap } from '../credentials.ts';
import { idsOfLedger } from '../user-ledgers.ts';

export const LEDGER_OPTIONS: Readonly<Record<string, Option>> = {
  ledger: { type: 'string', value: 'ID', help: 'sync with this database of the cloud' },
  tenant: {
    type: 'string',
    value: 'ID',
    help: 'tenant of the ledger; without it, the server must be reachable at the start',
  },
  ...SERVER_OPTIONS,
};

/** @throws FixpointError NOT_FOUND, NOT_SIGNED_IN */
export async function ledgerOf(
  call: Call,
  ledger: string,
  kind: LedgerKind,
  members: MemberOptions = {},
): Promise<Remote> {
  const api = adminFor(call);
  const tenant = call.text('tenant') ?? (await idsOfLedger(api, ledger)).tenantId;
  const asked = {
    selected: { tenant, ledger },
    opens: 'ledger',
    lifeSeconds: CLOUD_TOKEN_SECONDS_MAX,
  } as const;
  const token = async () => unwrap(await api.cloudSessionToken(asked));
  return toCloud({ base: gatewayBase(serverOf(call)), tenant, ledger, token, kind, members });
}
