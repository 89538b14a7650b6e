import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog as Base } from '@base-ui/react/dialog';
import { Search } from 'lucide-react';
import type { ReactNode } from 'react';

export interface PickerItem {
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
}

export interface PickerGroup<Item> {
  readonly label: string;
  readonly items: readonly Item[];
}

export interface PickerProps<Item extends PickerItem> {
  readonly label: string;
  readonly placeholder: string;
  /** The typed text. `groups` contains the groups that match this text. */
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly groups: readonly PickerGroup<Item>[];
  /** Shown at the end of an item's line. */
  readonly aside?: (item: Item) => ReactNode;
  readonly onPick: (item: Item) => void;
  readonly onClose: () => void;
  readonly footer?: ReactNode;
}

/**
 * Renders a modal list that filters as the user types. Arrow keys select, Enter confirms, Escape
 * closes.
 */
export function Picker<Item extends PickerItem>(props: PickerProps<Item>) {
  const { label, placeholder, text, onText, groups, aside, onPick, onClose, footer } = props;
  const count = groups.reduce((sum, { items }) => sum + items.length, 0);
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-scrim" />
        <Base.Popup
          aria-label={label}
          className="fixed top-[10vh] left-1/2 z-40 flex max-h-[min(32rem,80dvh)] w-[calc(100vw-1.5rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded-lg border border-line bg-surface shadow-3 outline-none"
        >
          <Autocomplete.Root
            open
            inline
            items={groups as PickerGroup<Item>[]}
            filter={null}
            value={text}
            onValueChange={onText}
            autoHighlight="always"
            keepHighlight
            itemToStringValue={(item: Item) => item.label}
          >
            <div className="flex items-center gap-2.5 border-b border-line px-4">
              <Search size={16} aria-hidden className="shrink-0 text-ink-3" />
              <Autocomplete.Input
                aria-label={label}
                placeholder={placeholder}
                className="h-12 w-full bg-transparent text-base outline-none placeholder:text-ink-3 max-sm:text-[1rem]"
              />
              <Base.Close className="h-7 shrink-0 cursor-pointer rounded border border-line-strong px-2 text-xs text-ink-3 hover:bg-hover hover:text-ink">
                Close
              </Base.Close>
            </div>
            <p role="status" className={count === 0 ? 'px-4 py-8 text-center text-sm text-ink-3' : 'sr-only'}>
              {count === 0 ? 'No matches.' : `${count} found`}
            </p>
            <Autocomplete.List className="min-h-0 flex-1 scroll-py-2 overflow-y-auto overscroll-contain p-2 empty:hidden">
              {(group: PickerGroup<Item>) => (
                <Autocomplete.Group key={group.label} items={group.items as Item[]} className="not-last:mb-2">
                  <Autocomplete.GroupLabel className="px-2 py-1 text-xs font-medium text-ink-3 select-none">
                    {group.label}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(item: Item) => (
                      <Autocomplete.Item
                        key={item.id}
                        value={item}
                        onClick={() => onPick(item)}
                        className="flex min-h-9 cursor-pointer items-center gap-3 rounded-md px-2 text-sm select-none data-highlighted:bg-hover data-highlighted:shadow-[inset_2px_0_var(--accent)]"
                      >
                        <span className="min-w-0 truncate" title={item.label}>
                          {item.label}
                        </span>
                        {item.detail !== undefined && (
                          <span
                            className="min-w-0 shrink-[9999] truncate text-xs text-ink-3"
                            title={item.detail}
                          >
                            {item.detail}
                          </span>
                        )}
                        <span className="ml-auto shrink-0">{aside?.(item)}</span>
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
          {footer !== undefined && (
            <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-4 py-2 text-xs text-ink-3">
              {footer}
            </div>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
