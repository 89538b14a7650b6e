import type { KeyboardEvent, ReactNode } from 'react';
import { NavLink } from 'react-router';

const looks = (isActive: boolean): string =>
  `border-b-2 px-0.5 pt-1 pb-2 text-sm font-medium whitespace-nowrap -outline-offset-2 transition-colors ${isActive ? 'border-accent text-text' : 'border-transparent text-muted hover:border-line-strong hover:text-text'}`;

/** Renders links to pages that share one heading. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly { to: string; text: string }[] }) {
  return (
    <nav aria-label={label} className="mb-6 flex gap-4 overflow-x-auto max-sm:gap-3 border-b border-line">
      {tabs.map(({ to, text }) => (
        <NavLink key={to} to={to} className={({ isActive }) => looks(isActive)}>
          {text}
        </NavLink>
      ))}
    </nav>
  );
}

export interface ViewTabsProps<Id extends string> {
  readonly label: string;
  readonly views: readonly { readonly id: Id; readonly text: string }[];
  readonly shown: Id;
  readonly onShow: (id: Id) => void;
  /** The content of the shown view. */
  readonly children: ReactNode;
}

/**
 * Renders tabs for the views of one page. All tabs together are one stop for the Tab key, and the
 * arrow keys move between views.
 */
export function ViewTabs<Id extends string>({ label, views, shown, onShow, children }: ViewTabsProps<Id>) {
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
      <div
        role="tablist"
        aria-label={label}
        className="mb-5 flex gap-4 overflow-x-auto border-b border-line"
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
            className={`cursor-pointer ${looks(id === shown)}`}
            onClick={() => onShow(id)}
          >
            {text}
          </button>
        ))}
      </div>
      <div role="tabpanel" aria-label={views[at]?.text}>
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
