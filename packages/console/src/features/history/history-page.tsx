import type { Database } from 'fixpoint';
import { useSearchParams } from 'react-router';
import { CheckPanel } from './check-panel.tsx';
import { CommitList } from './commit-list.tsx';
import { HistoryTable } from './history-table.tsx';

const VIEWS = [
  { id: 'changes', text: 'Changes' },
  { id: 'commits', text: 'Commits' },
  { id: 'check', text: 'Check' },
] as const;
type View = (typeof VIEWS)[number]['id'];

/** What happened to a database: its changes, the graph of its commits, and whether all of it is well. */
export function HistoryPage({ database, path }: { database: Database; path: string }) {
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
        {view === 'changes' && <HistoryTable database={database} basePath={`${path}/docs`} />}
        {view === 'commits' && <CommitList database={database} path={path} />}
        {view === 'check' && <CheckPanel database={database} docsPath={`${path}/docs`} />}
      </div>
    </>
  );
}
