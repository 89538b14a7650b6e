/** Headers of everything that the console's origin serves. Scripts and styles come from files of this origin alone. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
];

/** The worker that runs typed map functions may reach nothing but its own files. */
const SANDBOX_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

export function securityHeaders(publicUrl: string): (path: string) => Record<string, string> {
  const socketOrigin = publicUrl.replace(/^http/, 'ws');
  const page = [...POLICY, `connect-src 'self' ${socketOrigin}`].join('; ');
  const common = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    ...(publicUrl.startsWith('https:')
      ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
      : {}),
  };
  return (path) => ({
    ...common,
    'content-security-policy': path.includes('map-worker') ? SANDBOX_POLICY : page,
  });
}
