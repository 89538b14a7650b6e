import type { LedgerKind } from '@fixpoint/protocol/storage';
import { useSyncStatus } from '@fixpoint/react';
import type { Attached } from 'fixpoint';
import { Eye, LockKeyhole } from 'lucide-react';
import { Badge } from '../../../ui/badge.tsx';
import { useSettled } from '../../../ui/use-settled.ts';
import { LEDGER_KIND_TEXTS } from './ledger-kinds.ts';

/** Shows who can read a ledger; renders nothing until the kind is known. */
export function KindBadge({ attached }: { attached: Promise<Attached> }) {
  const found = useSettled(attached);
  const value = found !== undefined && 'value' in found ? found.value : undefined;
  useSyncStatus(value);
  return <KindLabel kind={value?.kind()} />;
}

/**
 * Renders nothing for a ledger whose first write decides its kind. Only the icon shows unless the
 * window is wide, because the name of the database needs the room.
 */
export function KindLabel({ kind: wanted }: { kind: LedgerKind | undefined }) {
  const kind = LEDGER_KIND_TEXTS.find((one) => one.kind === wanted);
  if (kind === undefined) return null;
  const Icon = kind.kind === 'sealed' ? LockKeyhole : Eye;
  return (
    <Badge title={kind.text}>
      <Icon size={12} aria-hidden /> <span className="max-2xl:sr-only">{kind.title}</span>
    </Badge>
  );
}
