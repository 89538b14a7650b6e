/** The frame of a page's content: heading, breadcrumb, cards. */
import { Fragment, type ReactNode, use } from 'react';
import { Link } from 'react-router';
import { InSlot, PageSlotsContext } from './page-slots.tsx';

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
    <nav aria-label="Breadcrumb" className="min-w-0">
      <ol className="flex min-w-0 items-center gap-1.5 text-sm whitespace-nowrap text-ink-3 max-sm:[&>li:not(:last-child,:focus-within)]:sr-only">
        {crumbs.map(({ text, to, isName = false }, at) => (
          <Fragment key={`${to}${text}`}>
            {at > 0 && (
              <li aria-hidden className="text-line-strong">
                /
              </li>
            )}
            <li className={isName ? 'min-w-4 truncate' : 'shrink-0'} title={isName ? text : undefined}>
              {to === undefined ? (
                <span aria-current="page" className="font-medium text-ink">
                  {text}
                </span>
              ) : (
                // A name that is cut off ends with an ellipsis.
                <Link
                  to={to}
                  className={`-my-1 rounded py-1 hover:text-ink hover:underline ${isName ? 'block truncate' : 'inline-block'}`}
                >
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
  /** One sentence under the title line. */
  readonly lead?: ReactNode;
  /** The path to the page, which the header shows. */
  readonly crumbs?: readonly Crumb[];
  /** Content next to the heading, such as a badge. */
  readonly beside?: ReactNode;
  /** Links to the pages that share this heading. */
  readonly tabs?: ReactNode;
  /** Actions, at the right. */
  readonly children?: ReactNode;
}

/** Renders the title line at the top of the page, and the path to the page in the header. */
export function PageHeader({ title, lead, crumbs, beside, tabs, children }: PageHeaderProps) {
  const { setBeside, setActions } = use(PageSlotsContext) ?? {};
  return (
    <>
      {crumbs !== undefined && (
        <InSlot name="crumbs">
          <Breadcrumb crumbs={crumbs} />
        </InSlot>
      )}
      <InSlot name="title">
        <header className="title-line flex min-h-(--title) flex-wrap items-center gap-x-2.5 border-b border-line bg-surface pr-3 pl-4">
          {/* Long titles shrink before the line wraps. */}
          <h1
            className="max-w-max grow basis-24 truncate text-xl font-semibold max-sm:py-2 tiny:line-clamp-3 tiny:wrap-anywhere tiny:whitespace-normal"
            title={title}
          >
            {title}
          </h1>
          {beside}
          {setBeside !== undefined && <div ref={setBeside} className="contents" />}
          {tabs}
          <div className="ml-auto flex max-w-full shrink-0 flex-wrap items-center justify-end gap-2 py-1 empty:hidden max-sm:gap-1">
            {setActions !== undefined && <div ref={setActions} className="contents" />}
            {children}
          </div>
        </header>
      </InSlot>
      {lead !== undefined && <p className="mb-4 max-w-prose text-ink-2">{lead}</p>}
    </>
  );
}

export interface CardProps {
  readonly title?: string;
  readonly lead?: ReactNode;
  /** Right after the title, such as a count. */
  readonly beside?: ReactNode;
  /** At the right of the title. */
  readonly actions?: ReactNode;
  readonly tone?: 'plain' | 'danger';
  readonly children?: ReactNode;
}

export function Card({ title, lead, beside, actions, tone = 'plain', children }: CardProps) {
  return (
    <section
      className={`card rounded-lg border bg-surface ${tone === 'danger' ? 'border-danger-line' : 'border-line'}`}
    >
      {title !== undefined && (
        <div
          className={`flex min-h-10 flex-wrap items-center justify-between gap-2 border-b py-1 pr-2 pl-3.5 ${tone === 'danger' ? 'rounded-t-[inherit] border-danger-line bg-danger-soft' : 'border-line'}`}
        >
          <h2 className={`font-semibold ${tone === 'danger' ? 'text-danger' : ''}`}>{title}</h2>
          {beside !== undefined && <span className="mr-auto text-xs text-ink-3">{beside}</span>}
          {actions}
        </div>
      )}
      {lead !== undefined && (
        <p className="max-w-prose px-3.5 pt-3 text-sm text-ink-2 has-[+:empty]:pb-3">{lead}</p>
      )}
      <div className="p-3.5 empty:hidden">{children}</div>
    </section>
  );
}
