import { Clock } from 'lucide-react';
import type { ReactNode } from 'react';
import { LinkButton } from '../../ui/button.tsx';
import { eventName } from './event-name.ts';

export interface PastBannerProps {
  readonly head: readonly string[];
  readonly nowPath: string;
  /** What the page shows of then. */
  readonly shown?: string;
  /** What the user may do there. */
  readonly note?: string;
  /** Ways to other pages of then. */
  readonly children?: ReactNode;
}

/** Says that what is shown is not of now, and leads back. */
export function PastBanner(props: PastBannerProps) {
  const { head, nowPath, shown = 'As it was at', note = 'Nothing here can be changed.', children } = props;
  return (
    <div className="mb-4 flex flex-wrap items-center gap-3 rounded-lg border border-warn/40 bg-warn-soft px-4 py-3 text-sm text-warn">
      <Clock size={16} aria-hidden className="shrink-0" />
      <p className="mr-auto">
        {shown} commit <code className="font-mono text-xs">{head.map(eventName).join(', ')}</code>. {note}
      </p>
      {children}
      <LinkButton to={nowPath}>Back to now</LinkButton>
    </div>
  );
}
