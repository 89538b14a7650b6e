import type { KeyboardEvent, ReactNode } from 'react';
import { NavLink } from 'react-router';

const looks = (isActive: boolean): string =>
  `relative inline-flex h-full cursor-pointer items-center border-b-2 px-2.5 font-medium whitespace-nowrap -outline-offset-2 transition-colors ${isActive ? 'border-accent text-ink' : 'border-transparent text-ink-3 hover:text-ink'}`;

export interface Tab {
  readonly to: string;
  readonly text: string;
  /** Whether pages below the tab's path don't belong to the tab. */
  readonly isExact?: boolean;
}

const segment = (isShown: boolean): string =>
  `inline-flex cursor-pointer items-center rounded px-2.25 font-medium whitespace-nowrap -outline-offset-2 transition-colors ${isShown ? 'bg-surface text-ink shadow-1 dark:bg-line-strong' : 'text-ink-2 hover:text-ink'}`;

/** Renders links to pages that share one heading, for the title line. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav
      aria-label={label}
      className="-mb-px flex h-10 shrink-0 overflow-x-auto max-lg:order-last max-lg:-mr-3 max-lg:-ml-4 max-lg:basis-[calc(100%+1.75rem)] max-lg:border-t max-lg:border-line max-lg:px-1.5 lg:ml-2.5 lg:h-(--title) print:hidden"
    >
      {tabs.map(({ to, text, isExact = false }) => (
        <NavLink key={to} to={to} end={isExact} className={({ isActive }) => looks(isActive)}>
          {text}
        </NavLink>
      ))}
    </nav>
  );
}

const TOOLBAR = 'min-h-10.5 shrink-0 gap-1.5 py-1.5 pr-3 pl-4';

export interface ViewTabsProps<Id extends string> {
  readonly label: string;
  readonly views: readonly { readonly id: Id; readonly text: string }[];
  readonly shown: Id;
  readonly onShow: (id: Id) => void;
  /** In the line of the tabs, after them. */
  readonly beside?: ReactNode;
  /** Whether the line of the tabs is the toolbar of a page whose views fill it. */
  readonly isToolbar?: boolean;
  /** The content of the shown view. */
  readonly children: ReactNode;
}

/**
 * Renders tabs for the views of one page. All tabs together are one stop for the Tab key, and the
 * arrow keys move between views.
 */
export function ViewTabs<Id extends string>(props: ViewTabsProps<Id>) {
  const { label, views, shown, onShow, beside, isToolbar = false, children } = props;
  const at = views.findIndex(({ id }) => id === shown);
  const lead = (event: KeyboardEvent<HTMLElement>) => {
    const next = views[placeAfter(event.key, at, views.length) ?? at];
    if (next === undefined || next.id === shown) return;
    event.preventDefault();
    onShow(next.id);
    event.currentTarget.querySelector<HTMLElement>(`[data-view="${next.id}"]`)?.focus();
  };
  return (
    <>
      <div className={`flex flex-wrap items-center ${isToolbar ? TOOLBAR : 'mb-3 gap-2'}`}>
        <div
          role="tablist"
          aria-label={label}
          className="flex h-(--control) w-fit max-w-full shrink-0 overflow-x-auto rounded-md bg-pressed p-0.5"
          onKeyDown={lead}
        >
          {views.map(({ id, text }) => (
            <button
              key={id}
              type="button"
              role="tab"
              data-view={id}
              aria-selected={id === shown}
              tabIndex={id === shown ? 0 : -1}
              className={segment(id === shown)}
              onClick={() => onShow(id)}
            >
              {text}
            </button>
          ))}
        </div>
        {beside}
      </div>
      <div
        role="tabpanel"
        aria-label={views[at]?.text}
        className={isToolbar ? 'flex min-h-0 flex-1 flex-col' : undefined}
      >
        {children}
      </div>
    </>
  );
}

/**
 * Returns the position that a key moves to in a row of `count`; undefined when it moves nowhere.
 */
function placeAfter(key: string, at: number, count: number): number | undefined {
  if (key === 'ArrowRight') return (at + 1) % count;
  if (key === 'ArrowLeft') return (at + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}
