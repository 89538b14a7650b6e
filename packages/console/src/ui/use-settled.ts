import { useEffect, useState } from 'react';

export type Settled<T> = { readonly value: T } | { readonly error: Error } | undefined;

/** Returns the outcome of a promise; undefined until it settles, or without one. */
export function useSettled<T>(promise: Promise<T> | undefined): Settled<T> {
  const [settled, setSettled] = useState<Settled<T>>();
  useEffect(() => {
    let isOver = false;
    promise?.then(
      (value) => !isOver && setSettled({ value }),
      (error: Error) => !isOver && setSettled({ error }),
    );
    return () => {
      isOver = true;
    };
  }, [promise]);
  return settled;
}
