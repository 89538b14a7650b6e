/** Parts of a plain table, for lists that are short. The table of documents has a grid of its own. */
import type { ReactNode, TdHTMLAttributes, ThHTMLAttributes } from 'react';

export function Table({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="overflow-x-auto rounded-lg border border-line bg-surface shadow-card">
      <table aria-label={label} className="w-full border-collapse text-sm">
        {children}
      </table>
    </div>
  );
}

export function TableHead({ children }: { children: ReactNode }) {
  return (
    <thead className="border-b border-line bg-page text-left text-xs text-muted">
      <tr>{children}</tr>
    </thead>
  );
}

export function TableBody({ children }: { children: ReactNode }) {
  return <tbody className="divide-y divide-line">{children}</tbody>;
}

export function TableRow({ children }: { children: ReactNode }) {
  return <tr className="transition-colors hover:bg-page">{children}</tr>;
}

export function HeadCell({ className = '', ...rest }: ThHTMLAttributes<HTMLTableCellElement>) {
  return <th scope="col" className={`h-9 px-4 font-medium whitespace-nowrap ${className}`} {...rest} />;
}

export function Cell({ className = '', ...rest }: TdHTMLAttributes<HTMLTableCellElement>) {
  return <td className={`h-11 px-4 ${className}`} {...rest} />;
}
