import type { LiveConflicts } from '@fixpoint/react';
import type { ReactNode } from 'react';
import { ErrorPanel } from '../pages/feedback.tsx';
import { failureText } from './failure-text.ts';

type Search = Pick<LiveConflicts, 'unread' | 'error' | 'hydrated'>;

const unreadText = (events: number): string =>
  `Couldn’t read ${events === 1 ? 'an old change' : `${events.toLocaleString('en')} old changes`}, so more documents may have a conflict.`;

export interface UnknownConflictsProps extends Pick<Search, 'unread' | 'error'> {
  /** Advice for changes that can't be read. */
  readonly children?: ReactNode;
}

/** Says why a list of conflicts may be incomplete. Shows nothing if all conflicts are known. */
export function UnknownConflicts({ unread, error, children }: UnknownConflictsProps) {
  return (
    <>
      {error !== undefined && <ErrorPanel message={failureText(error)} />}
      {unread.length > 0 && (
        <p role="status" className="text-sm text-ink-2">
          {unreadText(unread.length)} {children}
        </p>
      )}
    </>
  );
}

/** Returns how many conflicts there are. A plus, or a dash for none, says that more may exist. */
export function conflictCount(known: number, { unread, error, hydrated }: Search): string {
  if (hydrated && error === undefined && unread.length === 0) return known.toLocaleString('en');
  return known === 0 ? '–' : `${known.toLocaleString('en')}+`;
}
