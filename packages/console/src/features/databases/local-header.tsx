import type { ReactNode } from 'react';
import { useIsLocked } from '../../local/lock.ts';
import { Breadcrumb, type Crumb, PageHeader } from '../../ui/pages/page.tsx';
import type { LocalDatabase } from './local-database.ts';
import { LockButton } from './lock-button.tsx';

export interface LocalHeaderProps {
  readonly local: LocalDatabase;
  /** Name of the page; undefined for the database's own page. */
  readonly page?: string;
  /** Window title of a page with its own name. */
  readonly name?: string | undefined;
  /** Actions at the right. */
  readonly children?: ReactNode;
}

/** Shows the title of a local database's page, and its breadcrumbs. */
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

/**
 * Returns the breadcrumbs of the page. The remote name of a connected database follows the local
 * name.
 */
function crumbsOf(
  { localName, localPath, remote, path, title }: LocalDatabase,
  page: string | undefined,
): Crumb[] {
  const crumbs: Crumb[] = [{ text: 'Local databases', to: '/fp/databases' }];
  if (remote !== undefined) crumbs.push({ text: localName, to: localPath, isName: true });
  if (page === undefined) return remote === undefined ? crumbs : [...crumbs, { text: title, isName: true }];
  return [...crumbs, { text: title, to: path, isName: true }, { text: page }];
}
