/** Parts of pages with settings: columns of cards, and cards whose rows each have one subject. */
import type { ReactNode } from 'react';

export interface ColumnsProps {
  /** The cards of the second column, which follows the first one where there is no space. */
  readonly aside: ReactNode;
  readonly children: ReactNode;
}

/** Renders two columns of cards. */
export function Columns({ aside, children }: ColumnsProps) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-3 lg:grid-cols-[minmax(0,1fr)_19.75rem]">
      <div className="flex min-w-0 flex-col gap-3">{children}</div>
      <div className="flex min-w-0 flex-col gap-3">{aside}</div>
    </div>
  );
}

/** Renders the rows of a card, up to its edges. */
export function SettingRows({ children }: { children: ReactNode }) {
  return <dl className="-m-3.5 divide-y divide-line">{children}</dl>;
}

export interface SettingRowProps {
  readonly name: string;
  /** Explains the value. */
  readonly note?: ReactNode;
  /** Actions, at the right of the value. */
  readonly actions?: ReactNode;
  /** The value. */
  readonly children: ReactNode;
}

/** Renders a setting with its value. */
export function SettingRow({ name, note, actions, children }: SettingRowProps) {
  return (
    <div className="grid gap-x-3 px-3.5 py-2.5 sm:grid-cols-[8rem_minmax(0,1fr)]">
      <dt className="leading-7 font-medium text-ink-2 max-sm:text-xs max-sm:leading-5">{name}</dt>
      <dd className="min-w-0">
        <div className="flex min-h-7 flex-wrap items-center justify-between gap-x-4 gap-y-1.5">
          <div className="flex min-w-0 flex-wrap items-center gap-x-2 wrap-anywhere">{children}</div>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
        {note !== undefined && <p className="mt-0.5 max-w-prose text-xs text-ink-3">{note}</p>}
      </dd>
    </div>
  );
}

export interface ActionRowProps {
  readonly title: string;
  readonly text: ReactNode;
  /** The action; absent if it isn't possible now. */
  readonly children?: ReactNode;
}

/** Renders an action with what it does. */
export function ActionRow({ title, text, children }: ActionRowProps) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-3.5 py-2.5">
      <div className="min-w-0 grow basis-60">
        <h3 className="font-medium">{title}</h3>
        <p className="max-w-prose text-xs text-ink-3">{text}</p>
      </div>
      {children}
    </li>
  );
}

/** Renders a card of actions. */
export function ActionsCard({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section aria-label={label} className="card rounded-lg border border-line bg-surface">
      <ul className="divide-y divide-line">{children}</ul>
    </section>
  );
}
