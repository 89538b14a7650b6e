import type { Attached } from 'fixpoint';
import { useEffect, useState } from 'react';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';

const LOOK_MS = 3000;

/**
 * Returns the code of this device; undefined until it is known. The code changes when a signed list
 * of members starts.
 */
export function useOwnCode(devices: Attached['devices']): string | undefined {
  const toast = useToast();
  const [code, setCode] = useState<string>();
  useEffect(() => {
    let isOver = false;
    let hasFailed = false;
    const look = () =>
      devices.code().then(
        (own) => !isOver && setCode(own),
        (error: unknown) => {
          if (!isOver && !hasFailed)
            toast(`Couldn’t load the code of this device: ${failureText(error)}`, { tone: 'error' });
          hasFailed = true;
        },
      );
    void look();
    const timer = setInterval(() => void look(), LOOK_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [devices, toast]);
  return code;
}
