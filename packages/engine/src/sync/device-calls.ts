/** Names the operations on the devices of a ledger, so that each kind of handle passes all on. */
import type { LedgerDevices } from './remote.ts';

/** All operations that the connected handle performs. */
export const DEVICE_CALLS = [
  'code',
  'list',
  'rename',
  'approve',
  'remove',
  'reject',
  'ask',
  'newRecoveryCode',
  'recover',
  'newLogCode',
  'startLog',
  'setRole',
  'compareLog',
] as const satisfies readonly (keyof LedgerDevices)[];

export type DeviceCall = (typeof DEVICE_CALLS)[number];

/** Returns operations that pass each call on to another object. */
export const passedOn = (
  call: <T>(work: (to: Pick<LedgerDevices, DeviceCall>) => Promise<T>) => Promise<T>,
): Pick<LedgerDevices, DeviceCall> =>
  Object.fromEntries(
    DEVICE_CALLS.map((name) => [
      name,
      (...given: never[]) =>
        call<unknown>((to) => (to[name] as (...all: never[]) => Promise<unknown>)(...given)),
    ]),
  ) as Pick<LedgerDevices, DeviceCall>;
