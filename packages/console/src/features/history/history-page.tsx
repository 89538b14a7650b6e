import type { Database } from 'fixpoint';
import { useSearchParams } from 'react-router';
import type { DatabasePages } from '../databases/database-pages.ts';
import { CheckPanel } from './check-panel.tsx';
import { CommitList } from './commit-list.tsx';
import { HistoryTable } from './history-table.tsx';

const VIEWS = [
  { id: 'changes', text: 'Changes' },
  { id: 'commits', text: 'Commits' },
  { id: 'check', text: 'Check' },
] as const;
type View = (typeof VIEWS)[number]['id'];

export interface HistoryPageProps {
  readonly database: Database;
  readonly pages: DatabasePages;
  /** Whether the database syncs with a ledger: then it is told what was not sent. */
  readonly isSynced?: boolean;
}

/** What happened to a database: its changes, the graph of its commits, and whether all of it is well. */
export function HistoryPage({ database, pages, isSynced = false }: HistoryPageProps) {
  const [parameters, setParameters] = useSearchParams();
  const view = VIEWS.find(({ id }) => id === parameters.get('view'))?.id ?? 'changes';
  const show = (next: View) => setParameters(next === 'changes' ? {} : { view: next });
  return (
    <>
      <div role="tablist" aria-label="History" className="mb-5 flex gap-4 border-b border-line">
        {VIEWS.map(({ id, text }) => (
          <button
            key={id}
            type="button"
            role="tab"
            aria-selected={id === view}
            className={`cursor-pointer border-b-2 px-0.5 pt-1 pb-2 text-sm font-medium -outline-offset-2 ${id === view ? 'border-accent text-text' : 'border-transparent text-muted hover:border-line-strong hover:text-text'}`}
            onClick={() => show(id)}
          >
            {text}
          </button>
        ))}
      </div>
      <div role="tabpanel" aria-label={VIEWS.find(({ id }) => id === view)?.text}>
        {view === 'changes' && <HistoryTable database={database} basePath={pages.docs} />}
        {view === 'commits' && <CommitList database={database} allPath={pages.all} isSynced={isSynced} />}
        {view === 'check' && <CheckPanel database={database} docsPath={pages.docs} />}
      </div>
    </>
  );
}
