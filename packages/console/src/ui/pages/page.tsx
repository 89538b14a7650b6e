/** The frame of a page's content: heading, breadcrumb, cards. */
import { ChevronRight } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'react-router';

export interface Crumb {
  readonly text: string;
  /** Absent for the page itself. */
  readonly to?: string;
  /** Whether the text is a name that a user chose. Long names are truncated. */
  readonly isName?: boolean;
}

/** Shows the path to a page, from the outermost level to the page itself. */
export function Breadcrumb({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <nav aria-label="Breadcrumb">
      <ol className="flex min-w-0 items-center gap-1 text-xs text-muted">
        {crumbs.map(({ text, to, isName = false }, at) => (
          <Fragment key={`${to}${text}`}>
            {at > 0 && (
              <li aria-hidden>
                <ChevronRight size={12} />
              </li>
            )}
            <li className={isName ? 'min-w-6 truncate' : 'shrink-0'} title={isName ? text : undefined}>
              {to === undefined ? (
                <span aria-current="page">{text}</span>
              ) : (
                <Link to={to} className="-my-1 inline-block rounded py-1 hover:text-text hover:underline">
                  {text}
                </Link>
              )}
            </li>
          </Fragment>
        ))}
      </ol>
    </nav>
  );
}

export interface PageHeaderProps {
  readonly title: string;
  /** One sentence under the heading. */
  readonly lead?: ReactNode;
  /** A line above the heading, such as a breadcrumb. */
  readonly above?: ReactNode;
  /** Content next to the heading, such as a badge. */
  readonly beside?: ReactNode;
  /** Actions, at the right. */
  readonly children?: ReactNode;
}

export function PageHeader({ title, lead, above, beside, children }: PageHeaderProps) {
  return (
    <header className="mb-5 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        {above !== undefined && <div className="mb-1 text-xs text-muted">{above}</div>}
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h1
            className="min-w-0 text-xl leading-7 font-semibold tracking-tight max-sm:line-clamp-3 max-sm:wrap-anywhere sm:truncate"
            title={title}
          >
            {title}
          </h1>
          {beside}
        </div>
        {lead !== undefined && <p className="mt-1 max-w-prose text-muted">{lead}</p>}
      </div>
      {children !== undefined && <div className="flex flex-wrap gap-2">{children}</div>}
    </header>
  );
}

export interface CardProps {
  readonly title?: string;
  readonly lead?: ReactNode;
  /** At the right of the title. */
  readonly actions?: ReactNode;
  readonly tone?: 'plain' | 'danger';
  readonly children?: ReactNode;
}

export function Card({ title, lead, actions, tone = 'plain', children }: CardProps) {
  return (
    <section
      className={`rounded-lg border bg-surface shadow-card ${tone === 'danger' ? 'border-danger/40' : 'border-line'}`}
    >
      {title !== undefined && (
        <div className="flex flex-wrap items-center justify-between gap-2 px-5 pt-4">
          <h2 className={`font-semibold ${tone === 'danger' ? 'text-danger' : ''}`}>{title}</h2>
          {actions}
        </div>
      )}
      {lead !== undefined && <p className="max-w-prose px-5 pt-1 text-sm text-muted">{lead}</p>}
      <div className="px-5 pt-4 pb-5 empty:pt-0">{children}</div>
    </section>
  );
}
