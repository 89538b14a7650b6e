import { useEffect, useState } from 'react';

export type Settled<T> = { readonly value: T } | { readonly error: Error } | undefined;

/** What a promise came to; undefined until it did. */
export function useSettled<T>(promise: Promise<T>): Settled<T> {
  const [settled, setSettled] = useState<Settled<T>>();
  useEffect(() => {
    let isOver = false;
    promise.then(
      (value) => !isOver && setSettled({ value }),
      (error: Error) => !isOver && setSettled({ error }),
    );
    return () => {
      isOver = true;
    };
  }, [promise]);
  return settled;
}
