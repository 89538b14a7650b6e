import { useEffect, useState } from 'react';
import { bytesText } from '../../values/bytes-text.ts';

interface Estimate {
  readonly usage: number;
  readonly quota: number;
}

/** Shows how much of its storage in this browser the console uses, where browsers report it. */
export function DeviceStorage() {
  const estimate = useEstimate();
  if (estimate === undefined) return null;
  const { usage, quota } = estimate;
  return (
    <section aria-label="Storage on this device" className="px-2 py-1.5 text-xs text-ink-2">
      <p className="flex justify-between gap-2">
        <span>On this device</span>
        <span className="tabular-nums">
          {bytesText(usage)} of {bytesText(quota)}
        </span>
      </p>
      <div aria-hidden className="mt-1.5 h-1 overflow-hidden rounded-full bg-pressed">
        <div
          className="h-full min-w-1 rounded-full bg-accent"
          style={{ width: `${Math.min(100, (usage / quota) * 100)}%` }}
        />
      </div>
    </section>
  );
}

/** Browsers don't say when the estimate changes, for example during an import. */
const AGAIN_MS = 5000;

/**
 * Returns the estimate of the browser, and updates it while the page is visible, and when the user
 * returns to it.
 */
function useEstimate(): Estimate | undefined {
  const [estimate, setEstimate] = useState<Estimate>();
  useEffect(() => {
    let isOver = false;
    const read = async () => {
      const { usage, quota = 0 } = (await navigator.storage?.estimate?.().catch(() => undefined)) ?? {};
      if (isOver || usage === undefined || quota <= 0) return;
      setEstimate((now) => (now?.usage === usage && now.quota === quota ? now : { usage, quota }));
    };
    void read();
    const again = () => void read();
    const timer = setInterval(() => document.visibilityState === 'visible' && again(), AGAIN_MS);
    window.addEventListener('focus', again);
    return () => {
      isOver = true;
      clearInterval(timer);
      window.removeEventListener('focus', again);
    };
  }, []);
  return estimate;
}
