import type { ReactNode } from 'react';
import { useIsLocked } from '../../local/lock.ts';
import { Breadcrumb, type Crumb, PageHeader } from '../../ui/page.tsx';
import type { LocalDatabase } from './local-database.ts';
import { LockButton } from './lock-button.tsx';

export interface LocalHeaderProps {
  readonly local: LocalDatabase;
  /** What the page is called; the page of the database itself when it is not given. */
  readonly page?: string;
  /** What the window is called, where the page has a name of its own. */
  readonly name?: string | undefined;
  /** Actions, at the right. */
  readonly children?: ReactNode;
}

/** Title of a page of a local database, and where in the local area it stands. */
export function LocalHeader({ local, page, name = page, children }: LocalHeaderProps) {
  const isLocked = useIsLocked(local.localName);
  return (
    <>
      <title>{`${name === undefined ? '' : `${name} · `}${local.title} · Fixpoint`}</title>
      <PageHeader title={page ?? local.title} above={<Breadcrumb crumbs={crumbsOf(local, page)} />}>
        {(page === undefined || isLocked) && <LockButton database={local.localName} />}
        {children}
      </PageHeader>
    </>
  );
}

/** A connected database stands under its local name. */
function crumbsOf(
  { localName, localPath, remote, path, title }: LocalDatabase,
  page: string | undefined,
): Crumb[] {
  const crumbs: Crumb[] = [{ text: 'Local databases', to: '/fp/databases' }];
  if (remote !== undefined) crumbs.push({ text: localName, to: localPath, isName: true });
  if (page === undefined) return remote === undefined ? crumbs : [...crumbs, { text: title, isName: true }];
  return [...crumbs, { text: title, to: path, isName: true }, { text: page }];
}
