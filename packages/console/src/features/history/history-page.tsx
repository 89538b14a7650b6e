import type { BridgedDatabase } from 'fixpoint/bridge';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import type { DatabasePages } from '../../local/database-pages.ts';
import { ViewTabs } from '../../ui/pages/tabs.tsx';
import { useHasRoom } from '../../ui/use-is-narrow.ts';
import type { People } from '../../values/who-wrote.ts';
import { CommitList } from './commits/commit-list.tsx';
import { CompareView } from './compare/compare-view.tsx';
import { CheckPanel } from './conflicts/check-panel.tsx';
import { filterIn, withHistoryFilter } from './filters/history-filter.ts';
import { HistoryTable } from './history-table.tsx';
import { ToolbarContext } from './history-toolbar.tsx';
import { Timeline } from './versions/timeline.tsx';

const VIEWS = [
  { id: 'changes', text: 'Changes' },
  { id: 'documents', text: 'By document' },
  { id: 'check', text: 'Check' },
  { id: 'compare', text: 'Compare' },
] as const;
type View = (typeof VIEWS)[number]['id'];

export interface HistoryPageProps {
  readonly database: BridgedDatabase;
  /** The display name. */
  readonly name: string;
  readonly pages: DatabasePages;
  /**
   * How many changes wait to be sent to the database's ledger; these changes are marked. Undefined
   * without a ledger.
   */
  readonly toSend?: number | undefined;
  /** The people with access to the ledger, by the ids of their accounts. */
  readonly people?: People | undefined;
}

/**
 * Shows the history of a database: all changes as a graph, the latest change of each document, a
 * check of its data, and a comparison with another database. A list fills the page; if the window
 * is small, it follows the filters instead.
 */
export function HistoryPage({ database, name, pages, toSend, people }: HistoryPageProps) {
  const [parameters, setParameters] = useSearchParams();
  const [toolbar, setToolbar] = useState<HTMLElement | null>(null);
  const view = VIEWS.find(({ id }) => id === parameters.get('view'))?.id ?? 'changes';
  const isList = view === 'changes' || view === 'documents';
  const isFull = useHasRoom() && isList;
  const show = (next: View) =>
    // Both lists have the same filter.
    setParameters((now) => {
      const address = withHistoryFilter(new URLSearchParams(), filterIn(now));
      if (next !== 'changes') address.set('view', next);
      return address;
    });
  return (
    <ToolbarContext value={toolbar}>
      <div className={isFull ? 'fills' : '-mx-4 -mt-4 flex flex-col'}>
        <ViewTabs
          label="History"
          views={VIEWS}
          shown={view}
          onShow={show}
          isToolbar
          beside={<div ref={setToolbar} className="contents" />}
        >
          {isList && <Timeline {...{ database }} allPath={pages.all} />}
          {view === 'changes' && (
            <CommitList {...{ database, toSend, people }} allPath={pages.all} docsPath={pages.docs} />
          )}
          {view === 'documents' && <HistoryTable {...{ database, toSend, people }} docsPath={pages.docs} />}
          {!isList && (
            <div className="px-4 pt-2">
              {view === 'check' && <CheckPanel {...{ database, people }} docsPath={pages.docs} />}
              {view === 'compare' && <CompareView {...{ database, name }} docsPath={pages.docs} />}
            </div>
          )}
        </ViewTabs>
      </div>
    </ToolbarContext>
  );
}
