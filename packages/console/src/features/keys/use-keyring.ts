import { useSyncStatus } from '@fixpoint/react';
import type { Attached, LedgerKeyring } from 'fixpoint';
import { useEffect, useState } from 'react';

const LOOK_MS = 3000;

/**
 * Returns the state of a sealed ledger's keys on this device. Polls, because a device can request
 * or receive access while no document changes.
 */
export function useKeyring(attached: Attached | undefined): LedgerKeyring | undefined {
  const [keyring, setKeyring] = useState<LedgerKeyring>();
  const status = useSyncStatus(attached);
  // biome-ignore lint/correctness/useExhaustiveDependencies: looks again with each other status
  useEffect(() => {
    if (attached === undefined) return undefined;
    let isOver = false;
    const look = () =>
      attached.devices.keyring().then(
        (found) => !isOver && setKeyring((now) => (isSame(now, found) ? now : found)),
        () => undefined,
      );
    void look();
    const timer = setInterval(() => void look(), LOOK_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [attached, status]);
  return keyring;
}

const isSame = (a: LedgerKeyring | undefined, b: LedgerKeyring | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
