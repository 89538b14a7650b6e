import type { BridgedDatabase } from 'fixpoint/bridge';
import { Search } from 'lucide-react';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { fieldLabel } from '../../../values/field-label.ts';
import type { People } from '../../../values/who-wrote.ts';
import { changedNames } from '../../history/commits/field-summary.ts';
import { LatestVersions } from '../../history/versions/latest-versions.tsx';
import { DocumentLinks } from '../fields/document-links.tsx';
import { Attachments } from './attachments.tsx';
import { type Draft, isEdited } from './draft.ts';

export interface DocumentRailProps {
  readonly database: BridgedDatabase;
  readonly draft: Draft;
  readonly id: string;
  readonly basePath: string;
  /** The table of all documents. */
  readonly allPath: string;
  readonly people: People | undefined;
}

/** Shows what belongs to a document beside its fields: versions, links and files. */
export function DocumentRail({ database, draft, id, basePath, allPath, people }: DocumentRailProps) {
  const { stored, parsed } = draft;
  const isChanged = isEdited(draft);
  const edited = useMemo(() => {
    if (!isChanged || stored === undefined || parsed.problem !== undefined) return [];
    return [...changedNames([{ id, before: stored, after: parsed.fields } as never])].map(fieldLabel);
  }, [id, stored, parsed, isChanged]);
  return (
    <aside
      aria-label="About this document"
      className="flex min-w-0 flex-col divide-y divide-line max-lg:-mx-3.5 lg:-my-4 lg:-mr-4 lg:[h2+*>&]:-mt-12 lg:border-l lg:border-line lg:bg-sunken lg:pt-1.5"
    >
      <LatestVersions {...{ database, id, people, edited }} />
      <div className="flex flex-col gap-2 px-3.5 py-2.5 text-sm">
        <DocumentLinks {...{ database, draft, basePath }} />
        <Link
          to={`${allPath}?${new URLSearchParams({ find: id })}`}
          className="flex items-center gap-1.5 self-start rounded text-xs font-medium text-accent-ink hover:underline max-sm:min-h-10"
        >
          <Search size={12} aria-hidden /> Find documents that contain this id
        </Link>
      </div>
      <Attachments database={database} id={id} stored={draft.files} isEdited={isChanged} />
    </aside>
  );
}
