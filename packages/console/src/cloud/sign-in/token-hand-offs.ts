/**
 * Stores which apps users allow to receive a token from this browser. Each agreement is for one
 * origin with its port and one database. The hand-off page doesn't ask again for an agreed app.
 */
export interface AgreedHandOff {
  /** The email address of the user who agreed. */
  readonly user: string;
  readonly origin: string;
  readonly tenantId: string;
  readonly ledgerId: string;
  /** The names of the database and its tenant when the user agreed. */
  readonly label: string;
  readonly agreedAtMs: number;
}

const STORED_AS = 'fixpoint:hand-offs';
/** Agreements expire because another app may later run on the same local port. */
const AGREED_FOR_MS = 30 * 86_400_000;

/** Returns a user's unexpired agreements, newest first. */
export const agreedHandOffs = (user: string, nowMs = Date.now()): readonly AgreedHandOff[] =>
  read().filter((one) => one.user === user && isFresh(one, nowMs));

/** Returns a user's agreement with an origin. */
export const agreedWith = (user: string, origin: string, nowMs = Date.now()): AgreedHandOff | undefined =>
  agreedHandOffs(user, nowMs).find((one) => one.origin === origin);

/** Saves an agreement. It replaces an earlier one of the same user with the same origin. */
export function agree(agreed: Omit<AgreedHandOff, 'agreedAtMs'>, nowMs = Date.now()): void {
  const others = read().filter((one) => isFresh(one, nowMs) && !isSame(one, agreed));
  write([{ ...agreed, agreedAtMs: nowMs }, ...others]);
}

/** Deletes an agreement, so the console asks about this app again next time. */
export const revokeAgreement = (agreed: Pick<AgreedHandOff, 'user' | 'origin'>): void =>
  write(read().filter((one) => !isSame(one, agreed)));

const isSame = (
  a: Pick<AgreedHandOff, 'user' | 'origin'>,
  b: Pick<AgreedHandOff, 'user' | 'origin'>,
): boolean => a.user === b.user && a.origin === b.origin;

const isFresh = ({ agreedAtMs }: AgreedHandOff, nowMs: number): boolean =>
  agreedAtMs <= nowMs && nowMs - agreedAtMs < AGREED_FOR_MS;

function read(): readonly AgreedHandOff[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED_AS) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isAgreed) : [];
  } catch {
    return [];
  }
}

function isAgreed(value: unknown): value is AgreedHandOff {
  if (typeof value !== 'object' || value === null) return false;
  const { user, origin, tenantId, ledgerId, label, agreedAtMs } = value as Record<string, unknown>;
  const areTexts = [user, origin, tenantId, ledgerId, label].every((one) => typeof one === 'string');
  return areTexts && typeof agreedAtMs === 'number';
}

function write(agreed: readonly AgreedHandOff[]): void {
  try {
    localStorage.setItem(STORED_AS, JSON.stringify(agreed));
  } catch {
    // Without storage, the console asks every time.
  }
}

/**
 * Tokens that are ready for apps. They are only in memory, so that no console address ever contains
 * a token (S11).
 */
const ready = new Map<string, string>();

export function prepareHandOff(target: URL, token: string): void {
  ready.set(target.href, token);
}

/** Returns the address with the token in `fpToken`, once; undefined when no token was prepared. */
export function takeHandOff(target: URL): URL | undefined {
  const token = ready.get(target.href);
  if (token === undefined) return undefined;
  ready.delete(target.href);
  const url = new URL(target);
  url.searchParams.set('fpToken', token);
  return url;
}
