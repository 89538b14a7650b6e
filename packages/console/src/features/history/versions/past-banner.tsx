import type { Database } from 'fixpoint';
import { History } from 'lucide-react';
import type { ReactNode } from 'react';
import { LinkButton } from '../../../ui/button.tsx';
import { momentOf } from '../../../ui/text/moment.ts';
import { whenWritten } from '../../../values/who-wrote.ts';
import { TimeSlider, useTimePlace } from './time-slider.tsx';

export interface PastBannerProps {
  readonly database: Database;
  readonly head: readonly string[];
  readonly nowPath: string;
  /** Text before the time of the version: says what the page shows. */
  readonly shown?: string;
  /** Text after the time of the version: says what users can do with it. */
  readonly note?: string;
  /** Links to other pages of the same version. */
  readonly children?: ReactNode;
}

/** Says that the page shows a past version, and links to the current one and to other versions. */
export function PastBanner(props: PastBannerProps) {
  const { database, head, nowPath, shown, note = 'You can’t change anything here.', children } = props;
  const place = useTimePlace(database, head);
  const ms = place.state && whenWritten(place.state.commit);
  return (
    <div className="mb-3 flex flex-col gap-1.5 rounded-lg border border-history-line bg-history-soft px-3 py-2 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="mr-auto flex items-start gap-2.5">
          <History size={16} aria-hidden className="mt-0.5 shrink-0 text-history" />
          <p>
            {shown !== undefined && `${shown} `}
            <strong className="font-semibold">
              {ms === undefined ? 'A past version.' : `${momentOf(ms)}.`}
            </strong>{' '}
            {note}
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          {children}
          <LinkButton to={nowPath} tone="past">
            Back to now
          </LinkButton>
        </div>
      </div>
      <TimeSlider head={head} {...place} />
    </div>
  );
}
