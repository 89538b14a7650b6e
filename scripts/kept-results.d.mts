export function withKeptResults<R>(
  name: string,
  code: string | URL,
  work: (kept: <T>(text: string, make: () => T) => T) => R,
): R;
