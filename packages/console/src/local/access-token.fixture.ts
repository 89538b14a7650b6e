/** Returns a token for a ledger as another server would hand it over, except for the signature. */
export function tokenUntil(
  endsAtMs: number,
  selected: object = { tenant: 'zT', ledger: 'zL' },
  issuedAtMs: number | undefined = Date.now(),
): string {
  const seconds = (ms: number) => Math.floor(ms / 1000);
  const iat = issuedAtMs === undefined ? undefined : seconds(issuedAtMs);
  const body = btoa(JSON.stringify({ iat, exp: seconds(endsAtMs), selected }));
  return `e30.${body.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}.c2ln`;
}
