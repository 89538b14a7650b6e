import type { Attached } from '../sync/remote.ts';
import { type LiveStore, listeners } from './live-store.ts';

type LedgerKeyring = NonNullable<Awaited<ReturnType<Attached['devices']['keyring']>>>;

/**
 * Returns the live state of the keys of a sealed ledger on this device, with the members, the forks
 * and the safety number of its membership log. Undefined until it is known, and while another tab
 * or process syncs. It is the same object until it changes.
 * @param attached the result of `attach`; undefined until the database is attached
 */
export function liveKeyring(attached: Attached | undefined): LiveStore<LedgerKeyring | undefined> {
  let shown: LedgerKeyring | undefined;
  let text: string | undefined;
  const observed = listeners(() => {
    if (attached === undefined) return () => undefined;
    let isOver = false;
    const show = (found: LedgerKeyring | undefined) => {
      const next = JSON.stringify(found);
      if (isOver || next === text) return;
      [shown, text] = [found, next];
      observed.tell();
    };
    // The status says that keys changed. A failed look keeps the last state.
    const look = () => void attached.devices.keyring().then(show, () => undefined);
    look();
    const unsubscribe = attached.onStatus(look);
    return () => {
      isOver = true;
      unsubscribe();
    };
  });
  return { subscribe: observed.add, current: () => shown, inputs: [attached, 'keyring'] };
}
