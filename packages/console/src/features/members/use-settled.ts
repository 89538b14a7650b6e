import { useEffect, useState } from 'react';

/**
 * Returns the value once it is unchanged for `afterMs`, so typing doesn't send one request per
 * letter.
 */
export function useSettled<T>(value: T, afterMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}
