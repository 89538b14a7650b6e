import { Laptop } from 'lucide-react';
import type { Connection } from '../../local/connections.ts';
import { lazyComponent } from '../../ui/pages/lazy-component.tsx';

// Most browsers have no connection, and then need none of this.
const ConnectedState = lazyComponent(async () => (await import('./connected-badge.tsx')).ConnectedState);

export interface LocalStateProps {
  readonly name: string;
  readonly connection: Connection | undefined;
}

/**
 * Shows in the sidebar how a local database and the cloud stand to each other, with one word and
 * one icon.
 */
export function LocalState({ name, connection }: LocalStateProps) {
  return (
    <span className="flex text-2xs text-ink-3">
      {connection === undefined ? (
        <span className="flex items-center gap-1">
          Local only <Laptop size={12} aria-hidden className="shrink-0" />
        </span>
      ) : (
        <ConnectedState name={name} connection={connection} />
      )}
    </span>
  );
}
