import type { Database } from 'fixpoint';
import { useEffect, useState } from 'react';

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
}

/**
 * Returns the result of `read`, and reads again whenever the database changes. The previous result
 * stays until the next one arrives.
 */
export function useLoaded<T>(
  database: Pick<Database, 'subscribe'>,
  read: (signal: AbortSignal) => Promise<T>,
): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ value: undefined, error: undefined, isLoading: true });
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    let isReading = false;
    let isOld = false;
    const load = async () => {
      isOld = true;
      if (isReading) return;
      isReading = true;
      while (isOld && !signal.aborted) {
        isOld = false;
        try {
          const value = await read(signal);
          if (!signal.aborted) setLoaded({ value, error: undefined, isLoading: false });
        } catch (error) {
          if (!signal.aborted) setLoaded((now) => ({ ...now, error, isLoading: false }));
        }
      }
      isReading = false;
    };
    const stop = database.subscribe(() => void load());
    void load();
    return () => {
      stop();
      ending.abort();
    };
  }, [database, read]);
  return loaded;
}
