/** Returns a token for a ledger as another server would hand it over, except for the signature. */
export function tokenUntil(
  endsAtMs: number,
  selected: object = { tenant: 'zT', ledger: 'zL' },
  { issuedAtMs = Date.now(), untilMs }: { issuedAtMs?: number; untilMs?: number } = {},
): string {
  const [iat, exp] = [issuedAtMs, endsAtMs].map((ms) => Math.floor(ms / 1000));
  const until = untilMs === undefined ? undefined : Math.floor(untilMs / 1000);
  const body = btoa(JSON.stringify({ iat, exp, until, selected }));
  return `e30.${body.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}.c2ln`;
}
