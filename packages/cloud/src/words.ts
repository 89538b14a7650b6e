/** The task that the arguments after `main.js` select. */
export type Task =
  | { readonly is: 'serve' }
  | { readonly is: 'rotate-keys'; readonly ofSessions: boolean }
  | { readonly is: 'waitlist' }
  /** Without `addresses`, approves everybody. */
  | { readonly is: 'approve'; readonly addresses: readonly string[] | undefined };

export const USAGE = [
  'usage: main.js                               start the server with the configuration of the environment',
  '       main.js rotate-keys                   change the key that signs cloud tokens',
  '       main.js rotate-keys sessions          change the secret that signs sessions',
  '       main.js waitlist                      list the people on the waitlist',
  '       main.js waitlist approve ADDRESS...   approve these people',
  '       main.js waitlist approve --all        approve everybody',
  '',
].join('\n');

/** Returns undefined for unknown arguments. */
export function readTask(words: readonly string[]): Task | undefined {
  const [word, second, ...rest] = words;
  const isLast = rest.length === 0;
  if (word === undefined) return { is: 'serve' };
  if (word === 'rotate-keys' && isLast && (second === undefined || second === 'sessions'))
    return { is: 'rotate-keys', ofSessions: second === 'sessions' };
  if (word !== 'waitlist') return undefined;
  if (second === undefined) return { is: 'waitlist' };
  if (second !== 'approve' || isLast) return undefined;
  if (rest.includes('--all')) return rest.length === 1 ? { is: 'approve', addresses: undefined } : undefined;
  return rest.some((address) => address.startsWith('-')) ? undefined : { is: 'approve', addresses: rest };
}
