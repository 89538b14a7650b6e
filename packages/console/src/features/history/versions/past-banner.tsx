import type { Database } from 'fixpoint';
import { History } from 'lucide-react';
import type { ReactNode } from 'react';
import { LinkButton } from '../../../ui/button.tsx';
import { eventName } from '../../../values/shown-id.ts';
import { TimeSlider } from './time-slider.tsx';

export interface PastBannerProps {
  readonly database: Database;
  readonly head: readonly string[];
  readonly nowPath: string;
  /** Text before the name of the commit: says what the page shows. */
  readonly shown?: string;
  /** Text after the name of the commit: says what users can do with the version. */
  readonly note?: string;
  /** Links to other pages of the same version. */
  readonly children?: ReactNode;
}

/** Says that the page shows a past version, and links to the current one and to other versions. */
export function PastBanner(props: PastBannerProps) {
  const {
    database,
    head,
    nowPath,
    shown = 'Version at',
    note = 'Past versions are read-only.',
    children,
  } = props;
  return (
    <div className="mb-4 flex flex-col gap-2 rounded-lg border border-history-line bg-history-soft px-3 py-2 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="mr-auto flex items-start gap-3">
          <History size={16} aria-hidden className="mt-0.5 shrink-0 text-history" />
          <p>
            {shown} commit <code className="font-mono text-xs">{head.map(eventName).join(', ')}</code>. {note}
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          {children}
          <LinkButton to={nowPath} size="sm">
            Back to the current version
          </LinkButton>
        </div>
      </div>
      <TimeSlider database={database} head={head} />
    </div>
  );
}
