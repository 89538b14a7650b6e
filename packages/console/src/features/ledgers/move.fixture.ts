/** A ledger whose database counts what it attaches to, and a server that records moves. */
import { FixpointError } from '@fixpoint/protocol';
import type { Invite, Ledger } from '@fixpoint/protocol/admin';
import type { Attached, CloudOptions, LedgerHoldings, Remote } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { onTestFinished } from 'vitest';
import { done, refused, signedIn, tenantCalled } from '../../cloud/app.fixture.ts';
import { closeLedgers } from '../../cloud/ledgers/ledger-database.ts';
import { NOBODY } from '../../values/who-wrote.ts';
import type { LedgerContext } from './ledger-context.ts';

const DATES = { createdAt: '', updatedAt: '' };
export const ledgerOf = (ledgerId: string, name: string, more: Partial<Ledger> = {}): Ledger => ({
  ...{ ledgerId, name, tenantId: 't1', ownerId: 'u1', maxShares: 5, ...DATES },
  ...more,
});

const WHOLE = { unsent: 0, unread: 0, missing: [], absent: 0 };

export function openMove(
  kind: 'sealed' | 'open-key' = 'open-key',
  more: readonly Ledger[] = [],
  tickets: readonly Partial<Invite>[] = [],
) {
  // Test files share one process, and with it the ledgers that pages keep open.
  onTestFinished(closeLedgers);
  let number = 0;
  /** All calls, in order. */
  const log: string[] = [];
  const failing = { attach: '', move: false, held: WHOLE as Partial<LedgerHoldings> };
  let ledgers = [ledgerOf('z1', 'Notes', { kind }), ...more];
  const attachedTo = ({ ledger, kind: as, files }: CloudOptions): Attached => {
    const place = `${ledger} ${as}${files === 'always' ? ' files' : ''}`;
    log.push(`attach ${place}`);
    return {
      status: () => ({ state: 'in-sync', toSend: 0, toFetch: 0 }),
      onStatus: () => () => undefined,
      synced: async () => {
        if (failing.attach === place) throw new FixpointError('FETCH', place);
      },
      held: async () => failing.held,
      detach: async () => void log.push(`detach ${place}`),
    } as unknown as Attached;
  };
  const database = {
    name: 'cloud-ledger-z1',
    attach: async (remote: Remote) => attachedTo(remote.options?.() as CloudOptions),
    close: async () => undefined,
  } as unknown as BridgedDatabase;
  const first = attachedTo({ tenant: 't1', ledger: 'z1', kind, token: '' });
  const ledger: LedgerContext = {
    ...{ database, attached: Promise.resolve(first), tenantId: 't1', ledgerId: 'z1', name: 'Notes', kind },
    pages: {} as LedgerContext['pages'],
    people: NOBODY,
  };
  const parts = signedIn({
    tenants: [tenantCalled('t1', 'Acme')],
    api: {
      listLedgersByUser: () => done(ledgers),
      createLedger: (wanted) => {
        number += 1;
        const made = ledgerOf(`n${number}`, wanted.name, wanted as Partial<Ledger>);
        log.push(`create ${made.name} ${made.kind} for ${made.successorOf}`);
        ledgers = [...ledgers, made];
        return done(made);
      },
      listShares: () => done({ ledgerId: 'z1', shares: [], tickets: tickets as Invite[], maxShares: 5 }),
      moveLedger: ({ ledgerId }, movedTo) => {
        if (failing.move) return refused(new FixpointError('FETCH', 'offline'));
        log.push(`name ${movedTo}`);
        const { movedTo: _, ...row } = ledgers.find((one) => one.ledgerId === ledgerId) as Ledger;
        const next: Ledger = { ...row, ...(movedTo !== null && { movedTo }) };
        ledgers = ledgers.map((one) => (one.ledgerId === ledgerId ? next : one));
        return done(next);
      },
    },
  });
  log.length = 0;
  return { ledger, parts, log, failing };
}
