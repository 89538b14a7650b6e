/** Cards with the keys of a sealed ledger: its devices, its safety number and its recovery code. */
import { useKeyring } from '@fixpoint/react';
import type { Attached } from 'fixpoint';
import { Check, Eye, LockKeyhole, TriangleAlert } from 'lucide-react';
import { Card } from '../../ui/pages/page.tsx';
import { Devices } from './devices-part.tsx';
import { LEDGER_KIND_TEXTS } from './kinds/ledger-kinds.ts';
import { SafetyNumber } from './list/safety-number.tsx';

/** Shows the devices that can read a sealed ledger, and what the user can do with them. */
export function DevicesCard({ attached }: { attached: Attached }) {
  const keyring = useKeyring(attached);
  return (
    <Card title="Trusted devices" lead="Only these devices can read the database. The server can’t.">
      <div className="flex flex-col gap-3">
        <Devices {...{ attached, keyring }} />
      </div>
    </Card>
  );
}

/** Shows who can read a ledger and, if it is sealed, how people check and recover its keys. */
export function KeyCards({ attached }: { attached: Attached | undefined }) {
  const kind = LEDGER_KIND_TEXTS.find((one) => one.kind === attached?.kind());
  const Icon = kind?.kind === 'sealed' ? LockKeyhole : Eye;
  return (
    <>
      <Card title="Who can read it">
        {kind === undefined ? (
          <p className="text-ink-3">Not known yet</p>
        ) : (
          <>
            <p className={FACT}>
              <Icon size={15} aria-hidden className="shrink-0 text-accent-ink" /> {kind.title}
            </p>
            <p className="mt-1 text-xs text-ink-3">{kind.text}</p>
          </>
        )}
      </Card>
      {attached !== undefined && kind?.kind === 'sealed' && <SealedCards attached={attached} />}
    </>
  );
}

const FACT = 'flex items-center gap-1.75 font-medium';

function SealedCards({ attached }: { attached: Attached }) {
  const keyring = useKeyring(attached);
  const log = keyring?.log;
  return (
    <>
      {log?.isCompared && (
        <Card title="Safety number">
          <SafetyNumber number={log.safetyNumber} isLarge />
          <p className="mt-2 text-xs text-ink-3">
            Two members who see the same number see the same members and devices. If the numbers differ, don’t
            approve any device, and ask an admin.
          </p>
        </Card>
      )}
      {keyring !== undefined && (
        <Card title="Recovery code">
          <p className={FACT}>
            {keyring.hasRecoveryCode ? (
              <>
                <Check size={14} aria-hidden className="text-accent-ink" /> Created
              </>
            ) : (
              <>
                <TriangleAlert size={14} aria-hidden className="text-conflict" /> None yet
              </>
            )}
          </p>
          <p className="mt-1 text-xs text-ink-3">
            {keyring.hasRecoveryCode
              ? 'If all trusted devices are lost, only a recovery code opens the database.'
              : 'If all trusted devices are lost, nobody can open the database. Create a code below the list of devices.'}
          </p>
        </Card>
      )}
    </>
  );
}
