import type { BridgedDatabase } from 'fixpoint/bridge';
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import { untilStored } from '../../../leaving/ask-before-leaving.ts';
import { type ShowToast, useToast } from '../../../ui/overlays/toaster.tsx';
import { lazyComponent } from '../../../ui/pages/lazy-component.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { conflictsText } from '../../../undo/open-conflicts.ts';
import { documentsText, recordStep } from '../../../undo/undo-stack.ts';
import { writtenStep } from '../../../undo/written-step.ts';
import type { BlockActions, CellBlock } from '../../grid/grid-column.ts';
import type { LiveRows } from '../table/live-rows.ts';
import { BlockBar } from './block-bar.tsx';
import { editsOf, fillEdits, planPaste } from './block-edits.ts';
import { readValues } from './block-values.ts';
import { type CopyContext, copyAs, copyBlock } from './copy-values.ts';
import { type ColumnKind, kindOfColumn } from './pasted-value.ts';
import { type CellsWork, leftOutText, previewCells, writeCells } from './write-cells.ts';

const CellsDialog = lazyComponent(async () => (await import('./cells-dialog.tsx')).CellsDialog);

export interface BlockContext extends CopyContext {
  readonly canWrite: boolean;
  /** Whether taps select cells. */
  readonly selectsByTap: boolean;
}

type Planned = Pick<CellsWork, 'edits' | 'leftOut'>;

/** More changed cells are written only after a confirmation. */
const UNASKED_MAX = 200;
/** More rows are a task for export and import. */
const ROWS_MAX = 10_000;
const SAMPLE_ROWS = 50;
const UNCHANGED = 'The cells already have these values.';
const LOST = 'part of the selection is no longer loaded. Scroll to it, or select the cells again.';

/** Returns what users can do with blocks of cells, and the bar and dialog for it. */
export function useBlockActions(context: BlockContext): {
  readonly actions: BlockActions;
  readonly parts: ReactNode;
} {
  const toast = useToast();
  const [selected, setSelected] = useState<{ readonly block: CellBlock; readonly clear: () => void }>();
  const [asked, setAsked] = useState<CellsWork>();
  const shown = useRef(selected);
  const latest = useRef(context);
  latest.current = context;
  shown.current = selected;
  const { canWrite, selectsByTap } = context;

  const write = useCallback(
    async (work: CellsWork, onProgress?: (rows: number) => void) => {
      try {
        await storeCells(latest.current.database, work, toast, onProgress);
      } finally {
        setAsked(undefined);
      }
    },
    [toast],
  );
  const actions = useMemo((): BlockActions => {
    const begin = async (verb: CellsWork['verb'], editing: Promise<Planned>) => {
      try {
        const { edits, leftOut } = await editing;
        const preview = await previewCells(latest.current.database, edits);
        const { changed, created } = preview;
        const work = { verb, edits, preview, leftOut };
        if (changed === 0 && created === 0) toast(`${UNCHANGED} ${leftOutText(leftOut)}`.trim());
        else if (changed > UNASKED_MAX || created > 0) setAsked(work);
        else await write(work);
      } catch (error) {
        toast(`Couldn’t ${verb.toLowerCase()} the cells: ${failureText(error)}`, { tone: 'error' });
      }
    };
    return {
      copy: (of, event) => void copyBlock(latest.current, of, event, toast),
      lost: (what) => toast(`Couldn’t ${what} the cells: ${LOST}`, { tone: 'error' }),
      changed: (block, clear) => setSelected(block && { block, clear }),
      byTap: selectsByTap,
      ...(canWrite && {
        paste: (onto: CellBlock, text: string) => void begin('Paste', pasteEdits(latest.current, onto, text)),
        fillDown: (of: CellBlock) => void begin('Fill', fillBlock(latest.current, of)),
      }),
    };
  }, [canWrite, selectsByTap, write, toast]);
  const parts = (
    <>
      {selected !== undefined && context.selection.count === 0 && (
        <BlockBar
          block={selected.block}
          onCopy={(format) => void copyAs(context, selected.block, format, toast)}
          onFill={actions.fillDown && (() => actions.fillDown?.(selected.block))}
          onPaste={actions.paste && (() => void pasteCopied(() => shown.current?.block, actions, toast))}
          onClear={selected.clear}
        />
      )}
      {asked !== undefined && (
        <CellsDialog work={asked} onWrite={write} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
  return { actions, parts };
}

/** Pastes what the clipboard contains, for users without a key for it. */
async function pasteCopied(
  blockNow: () => CellBlock | undefined,
  { paste, lost }: BlockActions,
  toast: ShowToast,
): Promise<void> {
  try {
    const text = await navigator.clipboard.readText();
    // Rows may have moved while the browser asked its user.
    const block = blockNow();
    if (block === undefined) lost?.('paste');
    else if (text === '') toast('Nothing to paste: the clipboard contains no text.');
    else paste?.(block, text);
  } catch {
    toast('Couldn’t paste: the browser didn’t allow this page to read the clipboard.', { tone: 'error' });
  }
}

async function storeCells(
  database: BridgedDatabase,
  { verb, edits, leftOut }: CellsWork,
  toast: ShowToast,
  onProgress?: (rows: number) => void,
): Promise<void> {
  const written = await untilStored(writeCells(database, edits, onProgress));
  const { changed, created, gone, conflicts, parts, error } = written;
  const cells = `${changed.toLocaleString('en')} ${changed === 1 ? 'cell' : 'cells'}`;
  const did = [
    changed > 0 && `${verb === 'Paste' ? 'Pasted' : 'Filled'} ${cells}`,
    created > 0 && `${changed > 0 ? 'created' : 'Pasted'} ${documentsText(created)}`,
  ].filter(Boolean);
  if (parts.length > 0) recordStep(database, writtenStep(database, did.join(', '), parts));
  if (error !== undefined) {
    const what =
      parts.length > 0 ? `${did.join(', ')}, but not the rest` : `Couldn’t ${verb.toLowerCase()} the cells`;
    toast(`${what}: ${failureText(error)}`, { tone: 'error' });
  }
  if (gone > 0) toast(`Left out ${documentsText(gone)} that somebody deleted at the same time.`);
  if (conflicts > 0) toast(conflictsText(conflicts));
  if (leftOut > 0) toast(leftOutText(leftOut));
}

async function pasteEdits(
  { live, columns, cellOf }: BlockContext,
  block: CellBlock,
  text: string,
): Promise<Planned> {
  const kindOf = (column: string): ColumnKind => kindOfColumn(kindsIn(live, block, column, cellOf));
  const plan = planPaste(block, text, columns, kindOf);
  if (plan.rows > ROWS_MAX)
    throw new Error(`you can paste at most ${ROWS_MAX.toLocaleString('en')} rows. Import the data instead.`);
  return { edits: editsOf(plan, await live.idsAt(plan.fromAt, plan.rows)), leftOut: plan.leftOut };
}

/** Yields the kinds of a column's values in the first rows, and around the block. */
function* kindsIn(
  live: LiveRows,
  { fromAt, toAt }: CellBlock,
  column: string,
  cellOf: BlockContext['cellOf'],
): Generator<string | undefined, void> {
  const kindAt = (at: number) => {
    const row = live.rowAt(at);
    return row === undefined ? undefined : cellOf(row, column)?.kind;
  };
  for (let at = 0; at < SAMPLE_ROWS; at += 1) yield kindAt(at);
  for (let at = Math.max(0, fromAt - SAMPLE_ROWS); at <= toAt + SAMPLE_ROWS; at += 1) yield kindAt(at);
}

async function fillBlock(
  { live, database }: BlockContext,
  { fromAt, toAt, columns }: CellBlock,
): Promise<Planned> {
  if (toAt - fromAt >= ROWS_MAX)
    throw new Error(`you can fill at most ${ROWS_MAX.toLocaleString('en')} rows. Edit the field instead.`);
  const ids = await live.idsAt(fromAt, toAt - fromAt + 1);
  const [[id, ...values] = []] = await readValues(database, ids.slice(0, 1), ['_id', ...columns]);
  if (id === undefined) throw new Error('somebody deleted the document of the first row.');
  return { edits: fillEdits(columns, [values], ids), leftOut: 0 };
}
