import type { ReactNode } from 'react';

export function Skeleton({ text = 'Loading...' }: { text?: string }) {
  return (
    <p role="status" className="animate-pulse p-6 text-muted">
      {text}
    </p>
  );
}

export function NotFound({ children }: { children?: ReactNode }) {
  return (
    <div className="p-6">
      <p className="text-lg font-semibold">Not found</p>
      {children}
    </div>
  );
}

export function ErrorPanel({ message }: { message: string }) {
  return (
    <div role="alert" className="rounded-md border border-danger bg-danger-soft p-3 text-danger">
      <strong className="font-semibold">Error:</strong> <span className="break-words">{message}</span>
    </div>
  );
}

export function EmptyState({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-4 rounded-lg border border-dashed border-line bg-surface px-6 py-14 text-center">
      <p className="text-muted">{text}</p>
      {children}
    </div>
  );
}

export function PageHeader({
  title,
  children,
  above,
}: {
  title: string;
  children?: ReactNode;
  above?: ReactNode;
}) {
  return (
    <header className="mb-5 flex flex-wrap items-end justify-between gap-3">
      <div className="min-w-0">
        {above !== undefined && <div className="mb-1 text-xs text-muted">{above}</div>}
        <h1 className="truncate text-xl font-semibold tracking-tight" title={title}>
          {title}
        </h1>
      </div>
      {children !== undefined && <div className="flex flex-wrap gap-2">{children}</div>}
    </header>
  );
}

export function Card({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <section className="rounded-lg border border-line bg-surface p-5">
      {title !== undefined && <h2 className="mb-3 text-base font-semibold">{title}</h2>}
      {children}
    </section>
  );
}
