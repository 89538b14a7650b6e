/** Explains why a page can't show the past version in its address, and what to do. */
import { isFixpointError } from '@fixpoint/protocol';
import type { Database } from 'fixpoint';
import { CircleHelp, Hourglass, Scissors } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { DatabasePages } from '../../../local/database-pages.ts';
import { LinkButton } from '../../../ui/button.tsx';
import { EmptyState, ErrorPanel } from '../../../ui/pages/feedback.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';

const NAMED_MAX = 3;
const ICON = { size: 18, 'aria-hidden': true } as const;

/**
 * Returns why a version can't be read; undefined while unknown, or when the version can be read.
 * Checks again after each change of the database, since missing data may arrive.
 */
function useProblem(database: Database, head: readonly string[]): { readonly error: unknown } | undefined {
  const at = head.join(',');
  const [found, setFound] = useState<{ readonly at: string; readonly error: unknown }>();
  useEffect(() => {
    let isOver = false;
    let stop: () => void = () => undefined;
    const look = async () => {
      try {
        await database.at(at.split(',')).allDocs({ keys: [] });
        stop();
        if (!isOver) setFound(undefined);
      } catch (error) {
        if (!isOver) setFound({ at, error });
      }
    };
    stop = database.subscribe(() => void look());
    void look();
    return () => {
      isOver = true;
      stop();
    };
  }, [database, at]);
  return found?.at === at ? found : undefined;
}

export interface PastGateProps {
  readonly database: Database;
  readonly head: readonly string[];
  readonly pages: DatabasePages;
  /** Path of the same page for the current version. */
  readonly nowPath: string;
  readonly children: ReactNode;
}

/** Renders `children`, or explains why the past version can't be read. */
export function PastGate({ database, head, pages, nowPath, children }: PastGateProps) {
  const problem = useProblem(database, head);
  if (problem === undefined) return children;
  return (
    <PastProblem error={problem.error} head={head} isShared={pages.isShared}>
      <LinkButton to={nowPath} tone="primary">
        Back to now
      </LinkButton>
      <LinkButton to={pages.history}>Show all changes</LinkButton>
    </PastProblem>
  );
}

interface PastProblemProps {
  readonly error: unknown;
  readonly head: readonly string[];
  readonly isShared: boolean;
  readonly children?: ReactNode;
}

/** Explains why a version isn't shown, as far as known. */
export function PastProblem(props: PastProblemProps) {
  return (
    <div role="status">
      <Problem {...props} />
    </div>
  );
}

function Problem({ error, head, isShared, children }: PastProblemProps) {
  if (isFixpointError(error, 'MISSING_BLOCK') || isFixpointError(error, 'MISSING_CARS'))
    return (
      <EmptyState
        icon={<Hourglass {...ICON} />}
        title="You don’t have this version yet"
        text={`${namesOf(head)} not on this device. ${isShared ? ON_ITS_WAY : ELSEWHERE} This page opens the version as soon as this device has it.`}
      >
        {children}
      </EmptyState>
    );
  if (isFixpointError(error, 'HISTORY_COMPACTED'))
    return (
      <EmptyState
        icon={<Scissors {...ICON} />}
        title="This version is no longer on this device"
        text="Compaction removed older versions on this device. Another device may still have this version: open the link there."
      >
        {children}
      </EmptyState>
    );
  if (isFixpointError(error, 'HEAD_INVALID'))
    return (
      <EmptyState
        icon={<CircleHelp {...ICON} />}
        title="This link doesn’t lead to a version"
        text="The text after “at=” isn’t the id of a commit. The link may have been cut when it was copied: ask for the link again, or choose a commit in the history."
      >
        {children}
      </EmptyState>
    );
  return <ErrorPanel message={failureText(error)}>{children}</ErrorPanel>;
}

const ON_ITS_WAY =
  'The device that wrote this version may not have sent it yet, or this device hasn’t fetched it yet. See the sync state above.';
const ELSEWHERE =
  'To get this version, open an app in this browser that syncs this database with the device that wrote it.';

function namesOf(given: readonly string[]): string {
  const head = [...new Set(given)];
  const named = head.slice(0, NAMED_MAX).map((event) => `…${event.slice(-8)}`);
  const more = head.length - named.length;
  const all = more > 0 ? [...named, `${more.toLocaleString('en')} more`] : named;
  if (all.length === 1) return `Commit ${all[0]} is`;
  return `Commits ${all.slice(0, -1).join(', ')} and ${all.at(-1)} are`;
}
