/**
 * Cuts sockets whose peer doesn't answer pings, and sockets of users who lost access to the ledger
 * that their token selected.
 */
import type { CutReason } from '../../observe/gateway-watch.ts';
import type { LedgerRights } from '../../rights/rights.ts';
import type { Open } from './socket-connection.ts';

/** Proxies must keep a silent socket for longer than this. */
export const HEARTBEAT_MS = 30_000;
/** Pinging thousands of sockets at once delays deliveries, so each tick pings a share of them. */
const TICK_MS = 250;

export interface HeartbeatParts {
  readonly opened: ReadonlySet<Open>;
  readonly cut: (open: Open, reason: CutReason) => void;
  readonly rights: Pick<LedgerRights, 'accessTo'>;
  readonly report: (error: unknown) => void;
  /** Interval between pings of one socket. */
  readonly everyMs?: number;
}

/** Pings each socket once per round. Returns a function that stops the pings. */
export function startHeartbeat({
  opened,
  cut,
  rights,
  report,
  everyMs = HEARTBEAT_MS,
}: HeartbeatParts): () => void {
  const ticks = Math.max(1, Math.round(everyMs / TICK_MS));
  let round: Open[] = [];
  let ticksLeft = 0;

  function tick(): void {
    if (ticksLeft === 0) {
      round = [...opened];
      ticksLeft = ticks;
    }
    const share = round.splice(0, Math.ceil(round.length / ticksLeft));
    ticksLeft -= 1;
    const present = share.filter((open) => opened.has(open));
    for (const open of present) {
      if (open.silent > 0) cut(open, 'silent');
      open.silent += 1;
      if (open.socket.readyState === open.socket.OPEN) open.socket.ping();
    }
    checkOpeners(present).catch(report);
  }

  /** Checks sockets that follow no ledger; the fan-out checks the others. */
  async function checkOpeners(share: readonly Open[]): Promise<void> {
    for (const open of share.filter(({ stops }) => stops.size === 0))
      for (const { userId, apiToken, selected } of open.openers.values()) {
        if (selected.tenant === undefined || selected.ledger === undefined) continue;
        const access = await rights.accessTo(userId, selected.tenant, selected.ledger, apiToken);
        if (access === 'none') cut(open, 'access lost');
      }
  }

  const timer = setInterval(tick, everyMs / ticks);
  return () => clearInterval(timer);
}
