import type { Attached, Database, LedgerDevice } from 'fixpoint';
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { type Settled, useSettled } from '../../ui/use-settled.ts';
import { type People, withDeviceNames } from '../../values/who-wrote.ts';
import { useOwnDevice } from './stamp-text.tsx';

const NONE: readonly LedgerDevice[] = [];
const attachedIn = (settled: Settled<Attached>): Attached | undefined =>
  settled !== undefined && 'value' in settled ? settled.value : undefined;

/** Adds the names that the user gave to the devices of a ledger to the people, live. */
export function useNamedPeople(
  database: Database,
  promise: Promise<Attached> | undefined,
  people: People,
): People {
  const attached = attachedIn(useSettled(promise));
  const own = useOwnDevice(database);
  const changes = useKeyChanges(attached);
  const [devices, setDevices] = useState(NONE);
  // A new name counts as a change of the keys.
  useEffect(() => {
    if (attached === undefined || changes === undefined) return undefined;
    let isOver = false;
    attached.devices.list().then(
      (list) => !isOver && setDevices(list),
      // Devices are shown without their names.
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [attached, changes]);
  return useMemo(() => {
    const names = new Map<string, string>();
    for (const { yourName, isThis, eventDevice = isThis ? own : undefined } of devices)
      if (yourName !== undefined && eventDevice !== undefined) names.set(eventDevice, yourName);
    return withDeviceNames(people, names);
  }, [devices, own, people]);
}

/** Returns how often the keys of a sealed ledger changed; undefined for other ledgers. */
function useKeyChanges(attached: Attached | undefined): number | undefined {
  const subscribe = useCallback(
    (changed: () => void) => attached?.onStatus(changed) ?? (() => undefined),
    [attached],
  );
  return useSyncExternalStore(subscribe, () =>
    attached?.kind() === 'sealed' ? (attached.status().keys ?? 0) : undefined,
  );
}
