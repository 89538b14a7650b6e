/** Placeholders for content that is loading, empty or failed. */
import { CircleAlert, LoaderCircle } from 'lucide-react';
import type { ReactNode } from 'react';

export { PageHeader } from './page.tsx';

export interface SkeletonProps {
  readonly text?: string;
  /** Why loading takes long. */
  readonly note?: string | undefined;
  /**
   * The shape of the content. The placeholder reserves this space, so that nothing jumps when the
   * content arrives.
   */
  readonly shape?: 'rows' | 'editor';
}

const SHAPES = { rows: Array.from({ length: 8 }, () => 'h-6'), editor: ['h-64'] };

/** Shows that content is loading. */
export function Skeleton({ text = 'Loading...', note, shape }: SkeletonProps) {
  return (
    <div className="animate-late">
      <div role="status" className="flex items-center gap-2 py-4 text-sm text-ink-3">
        <LoaderCircle size={16} aria-hidden className="shrink-0 animate-spin" />
        <span>
          {text}
          {note !== undefined && <span className="block break-words">{note}</span>}
        </span>
      </div>
      {shape !== undefined && (
        <div aria-hidden className="flex animate-pulse flex-col gap-2">
          {SHAPES[shape].map((height, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: bars are all alike
            <div key={at} className={`rounded-md bg-hover ${height}`} />
          ))}
        </div>
      )}
    </div>
  );
}

export interface NotFoundProps {
  readonly text?: ReactNode;
  /** Whether the page shows only this state; otherwise the page has its own heading. */
  readonly isPage?: boolean;
  readonly children?: ReactNode;
}

export function NotFound({ text, isPage = true, children }: NotFoundProps) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className="flex flex-col items-center px-6 py-16 text-center">
      <Heading className="text-xl font-semibold">Not found</Heading>
      {text !== undefined && <p className="mt-1 max-w-prose text-balance text-ink-3">{text}</p>}
      {children !== undefined && <div className="mt-4 flex flex-wrap justify-center gap-2">{children}</div>}
    </div>
  );
}

/** Shows what failed, and in `children` what to do about it. */
export function ErrorPanel({ message, children }: { message: string; children?: ReactNode }) {
  return (
    <div
      role="alert"
      className="flex gap-2.5 rounded-lg border border-danger-line bg-danger-soft px-3 py-2.5 text-sm"
    >
      <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-danger" />
      <div className="min-w-0">
        <strong className="font-semibold text-danger">Error:</strong>{' '}
        <span className="break-words whitespace-pre-wrap">{message}</span>
        {children !== undefined && <div className="mt-2 flex flex-wrap gap-2">{children}</div>}
      </div>
    </div>
  );
}

/** Shows what the last action did. */
export function NotePanel({ text }: { text: string }) {
  return (
    <p
      role="status"
      className="rounded-lg border border-accent-line bg-accent-soft px-3 py-2.5 text-sm text-accent-ink"
    >
      {text}
    </p>
  );
}

/** Shows what to do where there is nothing yet. */
export function EmptyState({
  title,
  text,
  icon,
  children,
}: {
  title?: string;
  text: string;
  icon?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center rounded-lg border border-dashed border-line-strong bg-surface px-6 py-10 text-center">
      {icon !== undefined && (
        <div aria-hidden className="mb-3 text-ink-3">
          {icon}
        </div>
      )}
      {title !== undefined && <h2 className="mb-1 text-base font-semibold">{title}</h2>}
      <p className="max-w-72 text-balance text-ink-2">{text}</p>
      {children !== undefined && <div className="mt-4 flex flex-wrap justify-center gap-2">{children}</div>}
    </div>
  );
}
