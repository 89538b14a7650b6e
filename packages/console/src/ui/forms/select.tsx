import { ChevronsUpDown, type LucideIcon } from 'lucide-react';
import type { SelectHTMLAttributes } from 'react';

export interface SelectProps extends SelectHTMLAttributes<HTMLSelectElement> {
  readonly label: string;
  /**
   * Whether the label is visible above the list, like the label of a field. Otherwise, other
   * content of the page explains the choice.
   */
  readonly isLabelled?: boolean;
  /** Before the chosen item, in a toolbar. Such a list is as high as the buttons beside it. */
  readonly icon?: LucideIcon;
}

/**
 * Renders a list from which the user chooses one item. Uses the browser's own list, which works
 * with every keyboard and on every phone.
 */
export function Select({ label, isLabelled = false, ...rest }: SelectProps) {
  if (!isLabelled) return <Bare label={label} {...rest} />;
  return (
    <div className="flex flex-col gap-1.5">
      <span aria-hidden className="text-sm font-medium">
        {label}
      </span>
      <Bare label={label} {...rest} />
    </div>
  );
}

function Bare({ label, icon: Icon, className = '', ...rest }: Omit<SelectProps, 'isLabelled'>) {
  return (
    <span className={`relative block ${className}`}>
      {Icon !== undefined && (
        <Icon
          size={14}
          aria-hidden
          className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-ink-3"
        />
      )}
      <select
        aria-label={label}
        className={`${Icon === undefined ? 'pl-2.5' : 'pl-7.5'} h-(--control) w-full cursor-pointer appearance-none truncate rounded-md border border-line-strong bg-surface pr-8 text-sm font-medium shadow-1 -outline-offset-1 transition-colors hover:bg-hover`}
        {...rest}
      />
      <ChevronsUpDown
        size={14}
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-ink-3"
      />
    </span>
  );
}
