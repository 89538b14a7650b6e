/**
 * Remembers what the user confirmed on the connect page, until the connection is recorded. The
 * address of that page can't say this, because a link may contain any address. Kept in memory, so
 * that nothing stays confirmed after the page is closed.
 */
import type { Connection } from './connections.ts';

type Asked = Pick<Connection, 'localName' | 'remoteName' | 'endpoint'>;

export interface Confirmed {
  /** Whether the connection may replace another one, or share a name with it. */
  readonly shares?: boolean;
  /** The address of the user who chose the ledger; undefined if a link may have chosen it. */
  readonly email?: string | undefined;
}

let last: (Confirmed & { readonly asked: string }) | undefined;

const textOf = ({ localName, remoteName, endpoint }: Asked): string =>
  JSON.stringify([localName, remoteName, endpoint]);

export function confirmConnection(asked: Asked, confirmed: Confirmed): void {
  last = { ...confirmed, asked: textOf(asked) };
}

/** Returns what was confirmed about this connection, once. */
export function takeConfirmed(asked: Asked): Confirmed {
  const found = last?.asked === textOf(asked) ? last : {};
  last = undefined;
  return found;
}
