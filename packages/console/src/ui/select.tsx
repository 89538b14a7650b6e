import { ChevronsUpDown } from 'lucide-react';
import type { SelectHTMLAttributes } from 'react';

export interface SelectProps extends SelectHTMLAttributes<HTMLSelectElement> {
  readonly label: string;
}

/** One of a few: the browser's own list, which works with every keyboard and on every phone. */
export function Select({ label, className = '', ...rest }: SelectProps) {
  return (
    <span className={`relative block ${className}`}>
      <select
        aria-label={label}
        className="h-9 w-full cursor-pointer appearance-none truncate rounded-md border border-line-strong bg-surface pr-8 pl-2.5 text-sm font-medium shadow-card -outline-offset-1 transition-colors hover:border-field"
        {...rest}
      />
      <ChevronsUpDown
        size={14}
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-muted"
      />
    </span>
  );
}
