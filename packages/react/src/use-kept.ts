import { useState } from 'react';

/** Returns the value of `make`, which runs again only when an input changes. */
export function useKept<T>(make: () => T, inputs: readonly unknown[]): T {
  const [kept, keep] = useState(() => ({ made: make(), inputs }));
  if (kept.inputs.length === inputs.length && kept.inputs.every((input, at) => Object.is(input, inputs[at])))
    return kept.made;
  const next = { made: make(), inputs };
  keep(next);
  return next.made;
}
