import type { Database } from 'fixpoint';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { agoOf } from '../../ui/text/moment.ts';
import { TEXT_SCALE } from '../../ui/theme/text-scale.ts';
import { useHasRoom, useIsNarrow } from '../../ui/use-is-narrow.ts';
import { titleOfDocument } from '../../values/document-title.ts';
import { shownId } from '../../values/shown-id.ts';
import { NOBODY, type People, whenWritten, whoWrote, withDevices } from '../../values/who-wrote.ts';
import { DataGrid, rowsOfList } from '../grid/data-grid.tsx';
import type { GridColumn } from '../grid/grid-column.ts';
import { HistoryFilters, useHistoryFilter } from './filters/history-filters.tsx';
import {
  EmptyList,
  InToolbar,
  ListProblem,
  NoChanges,
  ToolbarStatus,
  WaitingList,
} from './history-toolbar.tsx';
import { textOfChange } from './latest-changes.ts';
import { useOwnDevice } from './stamp-text.tsx';
import { type ShownChange, useChanges } from './use-changes.ts';
import { changeKey, type LatestChanges, useLatestChanges } from './use-latest-changes.ts';
import { useShownChanges } from './use-shown-changes.ts';

/** Its cells are still empty when columns fit their content. */
const CHANGE_PX = 360 * TEXT_SCALE;

const NONE: readonly ShownChange[] = [];
const idOf = (row: ShownChange): string => row.key;
/** Opens the change in the list of changes, without a filter that could hide it. */
const pathOf = ({ clock }: ShownChange): string => `?${new URLSearchParams({ event: clock })}`;
const markOf = ({ isUnsent }: ShownChange) => (isUnsent ? 'Not sent yet: only on this device' : undefined);

function columnsFor(
  known: LatestChanges,
  own: string | undefined,
  people: People,
  isList: boolean,
): readonly GridColumn<ShownChange>[] {
  return [
    {
      id: 'key',
      label: 'document',
      text: ({ key, value }) => titleOfDocument(key, value),
      whole: ({ key }) => shownId(key),
      mark: markOf,
      look: 'plain',
    },
    { id: 'change', label: 'change', text: (row) => changeOf(row, known), widthPx: CHANGE_PX },
    { id: 'who', label: 'who', text: ({ by }) => (by === undefined ? '' : nameOf(by, own, people)) },
    {
      id: 'when',
      label: 'when',
      text: ({ by }) => agoIn(by),
      look: 'muted',
      // A list shows the sorted column at the right.
      sorted: isList ? 'descending' : undefined,
    },
  ];
}

function changeOf(row: ShownChange, known: LatestChanges): string {
  const change = known.get(changeKey(row));
  if (change !== undefined)
    return `${textOfChange(change)}${change.isConcurrent ? ' · Written at the same time' : ''}`;
  return row.value['_deleted'] === true ? 'Deleted' : '';
}

function nameOf(by: NonNullable<ShownChange['by']>, own: string | undefined, people: People): string {
  const { name, device } = whoWrote(by, own, people);
  return device === undefined ? name : `${name} on ${device}`;
}

function agoIn(by: ShownChange['by']): string {
  const ms = by && whenWritten(by);
  return ms === undefined ? '' : agoOf(ms, Date.now());
}

export interface HistoryTableProps {
  readonly database: Database;
  /** The link to a document is this path plus the encoded id. */
  readonly docsPath: string;
  /**
   * How many changes wait to be sent to a ledger; these changes are marked. Undefined without a
   * ledger.
   */
  readonly toSend: number | undefined;
  /** The people who have access to the ledger. */
  readonly people?: People | undefined;
}

/**
 * Lists a database's changes with author and time, newest first, live. Each document is listed
 * once, with its latest change.
 */
export function HistoryTable(props: HistoryTableProps) {
  const { database, docsPath, toSend, people: members = NOBODY } = props;
  const { value, error, seen } = useChanges(database, toSend);
  const own = useOwnDevice(database);
  const isList = useIsNarrow();
  const hasRoom = useHasRoom();
  const [filter, changeFilter] = useHistoryFilter();
  const all = value?.rows ?? NONE;
  const people = useMemo(
    () =>
      withDevices(
        members,
        all.flatMap(({ by }) => by ?? []),
      ),
    [members, all],
  );
  const [visible, setVisible] = useState({ from: 0, to: 0 });
  const [inView, setInView] = useState(NONE);
  // A filter by field needs the fields of all changes.
  const known = useLatestChanges(database, filter.field === '' ? inView : all);
  const { rows, authors, pending } = useShownChanges({ all, filter, own, people, known });
  useEffect(() => setInView(rows.slice(visible.from, visible.to + 1)), [rows, visible]);
  const columns = useMemo(() => columnsFor(known, own, people, isList), [known, own, people, isList]);
  const listed = useMemo(() => rowsOfList(rows, idOf), [rows]);
  const onVisible = useCallback((from: number, to: number) => setVisible({ from, to }), []);
  // Few of the loaded changes may match, so further ones are loaded.
  const wanted = all.length - rows.length + visible.to;
  useEffect(() => {
    if (pending === 0) seen(wanted, all.length);
  }, [seen, wanted, pending, all.length]);
  if (value === undefined) return <WaitingList error={error} />;
  if (all.length === 0) return <NoChanges docsPath={docsPath} />;
  const { length: count } = rows;
  const counted = `${count.toLocaleString('en')}${value.isAll ? '' : '+'}`;
  const documents = counted === '1' ? '1 document' : `${counted} documents`;
  return (
    <section aria-label="Changes by document" className="flex min-h-0 flex-1 flex-col">
      {error !== undefined && <ListProblem error={error} />}
      <InToolbar>
        <HistoryFilters authors={authors} filter={filter} onFilter={changeFilter} />
        <ToolbarStatus>{documents}, newest first</ToolbarStatus>
      </InToolbar>
      {count === 0 ? (
        <EmptyList text={value.isAll && pending === 0 ? 'No change matches the filter.' : 'Searching...'} />
      ) : (
        <DataGrid
          label="Changes by document"
          fills={hasRoom}
          isList={isList}
          rows={listed}
          columns={columns}
          rowPath={pathOf}
          linkColumn="key"
          onVisible={onVisible}
        />
      )}
    </section>
  );
}
