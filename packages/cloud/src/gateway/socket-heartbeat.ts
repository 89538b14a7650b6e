/** Finds sockets whose other end is gone, and those of users who may no longer use the ledger for which they came. */
import type { CutReason } from '../observe/gateway-watch.ts';
import type { LedgerRights } from '../rights/rights.ts';
import type { Open } from './socket-carrier.ts';

const HEARTBEAT_MS = 30_000;

export interface HeartbeatParts {
  readonly opened: ReadonlySet<Open>;
  readonly cut: (open: Open, reason: CutReason) => void;
  readonly rights: LedgerRights;
  readonly report: (error: unknown) => void;
  readonly everyMs?: number;
}

/** Gives what stops it. */
export function startHeartbeat({ opened, cut, rights, report, everyMs }: HeartbeatParts): () => void {
  const timer = setInterval(() => {
    for (const open of [...opened]) {
      if (open.silent > 0) cut(open, 'silent');
      open.silent += 1;
      if (open.socket.readyState === open.socket.OPEN) open.socket.ping();
    }
    checkOpeners().catch(report);
  }, everyMs ?? HEARTBEAT_MS);

  /** Who follows a ledger is looked after by the fan-out; others are looked at here. */
  async function checkOpeners(): Promise<void> {
    for (const open of [...opened].filter(({ stops }) => stops.size === 0))
      for (const { userId, apiToken, selected } of open.openers.values()) {
        if (selected.tenant === undefined || selected.ledger === undefined) continue;
        const access = await rights.accessTo(userId, selected.tenant, selected.ledger, apiToken);
        if (access === 'none') cut(open, 'right ended');
      }
  }
  return () => clearInterval(timer);
}
