import { Popover } from '@base-ui/react/popover';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Avatar } from '../../../ui/avatar.tsx';
import { secondOf } from '../../../ui/text/moment.ts';
import { fieldLabel } from '../../../values/field-label.ts';
import { truncate } from '../../../values/truncate.ts';
import type { FieldAuthor } from './field-authors.ts';

const VALUE_CHARS = 120;
const HOVER_MS = 300;

interface BlameProps {
  readonly author: FieldAuthor;
  readonly field: string;
  readonly value: string;
  /** The history of the database, filtered to the document. */
  readonly historyPath: string | undefined;
}

export interface BlamePopoverProps extends BlameProps {
  /** The content of the button. */
  readonly mark: ReactNode;
}

export interface AnchoredBlameProps extends BlameProps {
  readonly anchor: Element;
  readonly onClose: () => void;
}

/** A button that shows, by a press or under the pointer, who gave a field its value. */
export function BlamePopover({ mark, ...props }: BlamePopoverProps) {
  return (
    <Popover.Root>
      <Popover.Trigger
        openOnHover
        delay={HOVER_MS}
        className="flex min-h-6 sm:pointer-coarse:min-h-8 min-w-0 max-w-full cursor-pointer items-center gap-1.5 rounded px-1 text-xs text-history hover:bg-history-soft data-popup-open:bg-history-soft max-sm:min-h-8"
      >
        {mark}
      </Popover.Trigger>
      <Popup {...props} />
    </Popover.Root>
  );
}

/** Shows beside an element who gave a field its value, until the user closes it. */
export function AnchoredBlame({ anchor, onClose, ...props }: AnchoredBlameProps) {
  return (
    <Popover.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Popup {...props} anchor={anchor} />
    </Popover.Root>
  );
}

function Popup({ author, field, value, historyPath, anchor }: BlameProps & { anchor?: Element }) {
  const { person, name, event, atMs, ago } = author;
  const when = atMs === undefined ? ago : secondOf(atMs);
  return (
    <Popover.Portal>
      <Popover.Positioner sideOffset={6} align="start" className="z-50" {...(anchor && { anchor })}>
        <Popover.Popup
          aria-label={`Author of ${fieldLabel(field)}`}
          className="flex w-72 max-w-[calc(100vw-1rem)] flex-col gap-2.5 rounded-lg border border-line bg-surface p-3.5 text-sm text-ink shadow-3 transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0"
        >
          <div className="flex items-center gap-2.5">
            <Avatar name={person} />
            <p className="min-w-0">
              <b className="block truncate font-semibold">{name}</b>
              {when !== undefined && <span className="text-ink-3 tabular-nums">{when}</span>}
            </p>
          </div>
          <p className="wrap-anywhere">
            <span className="mr-2 text-ink-2">{fieldLabel(field)}</span>
            <ins className="rounded bg-history-soft px-1 py-0.5 font-medium text-history no-underline">
              {truncate(value === '' ? '(empty)' : value, VALUE_CHARS)}
            </ins>
          </p>
          {historyPath !== undefined && (
            <p className="flex flex-wrap gap-x-3 font-medium text-accent-ink">
              {event !== undefined && (
                <Link to={`${historyPath}&event=${event}`} className="rounded hover:underline">
                  Show change
                </Link>
              )}
              <Link
                to={`${historyPath}&${new URLSearchParams({ changed: field })}`}
                className="rounded hover:underline"
              >
                All versions of this field
              </Link>
            </p>
          )}
        </Popover.Popup>
      </Popover.Positioner>
    </Popover.Portal>
  );
}
