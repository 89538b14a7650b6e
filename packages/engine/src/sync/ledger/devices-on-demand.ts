import type { LedgerDevices } from '../remote.ts';
import type { DeviceParts, ledgerDevices } from './ledger-devices.ts';

/** Returns the devices of a ledger. Their operations load with the other rarely used features. */
export function devicesOnDemand(
  parts: DeviceParts & { readonly load: () => Promise<{ readonly ledgerDevices: typeof ledgerDevices }> },
): LedgerDevices {
  const loaded = async () => (await parts.load()).ledgerDevices(parts);
  const keys = () => parts.ledger.keys();
  return {
    isApproved: () => keys()?.isApproved() ?? false,
    keyring: async () => keys()?.keyring(),
    code: async () => (await loaded()).code(),
    list: async () => (await loaded()).list(),
    approve: async (code) => (await loaded()).approve(code),
    remove: async (ids) => (await loaded()).remove(ids),
    newRecoveryCode: async () => (await loaded()).newRecoveryCode(),
    recover: async (code) => (await loaded()).recover(code),
  };
}
