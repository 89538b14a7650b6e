import { type ReactNode, useId } from 'react';

export interface PeopleSectionProps {
  readonly title: string;
  /** The number of people, with its limit if there is one; undefined until the number is known. */
  readonly used: string | undefined;
  readonly children: ReactNode;
}

/** Renders a list of people or invitations under a heading. */
export function PeopleSection({ title, used, children }: PeopleSectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-2">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {used !== undefined && <p className="text-xs text-ink-3">{used}</p>}
      </div>
      {children}
    </section>
  );
}
