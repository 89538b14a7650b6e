/** The actions of a commit in its row of the list. */
import type { CommitEvent, Database } from 'fixpoint';
import { History, Link2, RotateCcw } from 'lucide-react';
import { type FocusEvent, useMemo, useState } from 'react';
import { IconButton, IconLink } from '../../../ui/button.tsx';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { lazyComponent } from '../../../ui/pages/lazy-component.tsx';
import { eventName } from '../../../values/shown-id.ts';
import { atSearch } from '../versions/version-address.ts';

const RestoreDialog = lazyComponent(
  async () => (await import('../versions/restore-dialog.tsx')).RestoreDialog,
);

/** Returns the address of this page with a commit opened. */
export function linkTo(event: string): string {
  const url = new URL(location.href);
  url.searchParams.set('event', event);
  return url.href;
}

/** Returns whether the pointer or the focus is in a row, and the listeners of the row. */
export function useIsActive() {
  const [hasPointer, setPointer] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const row = {
    onPointerEnter: () => setPointer(true),
    onPointerLeave: () => setPointer(false),
    onFocus: () => setFocus(true),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) =>
      setFocus(currentTarget.contains(relatedTarget as Node | null)),
  };
  return [hasPointer || hasFocus, row] as const;
}

export interface CommitActionsProps {
  readonly database: Database;
  readonly commit: CommitEvent;
  /** The page of all documents. */
  readonly allPath: string;
  readonly canWrite: boolean;
  /** Whether the row shows its actions. Phones have them in the sheet of the commit. */
  readonly isShown: boolean;
}

export function CommitActions({ database, commit, allPath, canWrite, isShown }: CommitActionsProps) {
  const { event, isDropped = false } = commit;
  const [isRestoring, setRestoring] = useState(false);
  const head = useMemo(() => [event], [event]);
  const toast = useToast();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(linkTo(event));
      toast('Link copied.');
    } catch {
      toast('Couldn’t copy the link because the browser blocked it.', { tone: 'error' });
    }
  };
  if (!isShown && !isRestoring) return null;
  const version = `version ${eventName(event)}`;
  return (
    <span className="absolute inset-y-0 right-0 flex items-center gap-0.5 bg-inherit pl-3 max-sm:hidden">
      <IconButton label={`Copy the link to ${version}`} onClick={() => void copy()}>
        <Link2 size={14} aria-hidden />
      </IconButton>
      {!isDropped && (
        <IconLink label={`Browse ${version}`} to={`${allPath}?${atSearch(head)}`}>
          <History size={14} aria-hidden />
        </IconLink>
      )}
      {!isDropped && canWrite && (
        <IconButton label={`Restore ${version}`} aria-haspopup="dialog" onClick={() => setRestoring(true)}>
          <RotateCcw size={14} aria-hidden />
        </IconButton>
      )}
      {isRestoring && <RestoreDialog {...{ database, head }} onClose={() => setRestoring(false)} />}
    </span>
  );
}
