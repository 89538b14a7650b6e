import { type FocusEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { Button, LinkButton } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { valueIn } from '../../../values/document-fields.ts';
import { columnLabel } from '../../../values/field-label.ts';
import { shownId } from '../../../values/shown-id.ts';
import { MERGED } from '../../history/conflicts/use-conflict.ts';
import { parseTyped, type TypedText, typedOf, type ValueKind } from '../values/field-value.ts';
import { ValueInput } from '../values/value-input.tsx';
import type { CellWrites } from './use-cell-writes.ts';

export interface CellEditorProps {
  readonly id: string;
  readonly field: string;
  readonly write: CellWrites['write'];
  readonly read: CellWrites['read'];
  readonly hasConflict: CellWrites['hasConflict'];
  /** The page of the document. */
  readonly path: string;
  readonly onClose: () => void;
}

const KINDS: readonly ValueKind[] = ['text', 'number', 'boolean', 'null', 'json', 'none'];
/** On narrow screens an inline editor would hide the cells around it. Matches `max-sm`. */
const NARROW = '(width < 40rem)';

interface Begun {
  readonly before: unknown;
  readonly typed: TypedText;
}

/**
 * Edits the stored value of one cell: inline, or in a dialog on narrow screens. If the document has
 * a conflict, says so instead, and leads to the merge.
 */
export function CellEditor(props: CellEditorProps) {
  const { id, field, write, path, onClose } = props;
  const isInConflict = useConflictCheck(props);
  const begun = useBegun(props);
  const [typed, setTyped] = useState<TypedText>();
  const [isNarrow] = useState(() => matchMedia(NARROW).matches);
  const isOver = useRef(false);
  if (isInConflict) {
    // The write would fail, and typed text doesn't choose between the versions.
    isOver.current = true;
    return <ConflictDialog {...{ id, path, onClose }} unsaved={typed?.text} />;
  }
  if (begun === undefined) return null;

  const now = typed ?? begun.typed;
  const parsed = parseTyped(now);
  const close = () => {
    isOver.current = true;
    onClose();
  };
  const leave = () => {
    const isSame = now.kind === begun.typed.kind && now.text === begun.typed.text;
    if (isOver.current || parsed.problem !== undefined || isSame) return;
    isOver.current = true;
    write(id, { field, value: parsed.value }, begun.before);
  };
  const save = () => {
    if (isOver.current || parsed.problem !== undefined) return;
    leave();
    close();
  };
  const frame = { id, field, typed: now, onTyped: setTyped, problem: parsed.problem, save, close };
  return isNarrow ? <InFront {...frame} /> : <InCell {...frame} onGone={leave} />;
}

/**
 * Returns whether the document has a conflict. The first check of a database may take long, so the
 * editor opens in the meantime. If the check fails, the write checks again.
 */
function useConflictCheck({ hasConflict, id }: CellEditorProps): boolean {
  const [isInConflict, setInConflict] = useState(false);
  useEffect(() => {
    const ending = new AbortController();
    hasConflict(id, ending.signal).then(
      (has) => !ending.signal.aborted && setInConflict(has),
      () => undefined,
    );
    return () => ending.abort();
  }, [hasConflict, id]);
  return isInConflict;
}

interface ConflictDialogProps extends Pick<CellEditorProps, 'id' | 'path' | 'onClose'> {
  /** The text that the user typed before the conflict was found. */
  readonly unsaved: string | undefined;
}

function ConflictDialog({ id, path, onClose, unsaved }: ConflictDialogProps) {
  return (
    <Dialog
      open
      interruptsTyping={unsaved !== undefined}
      onClose={onClose}
      title="This document has a conflict"
      description={
        <>
          Several devices changed <span className="break-all">{shownId(id)}</span> at the same time, so it has
          more than one version. You can edit its cells again after you choose a version or merge them.
        </>
      }
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <LinkButton to={`${path}?${MERGED}=`} tone="decide">
            Merge...
          </LinkButton>
        </>
      }
    >
      {unsaved !== undefined && (
        <p className="text-sm text-ink-2">
          Your text wasn’t saved: <span className="break-all select-all">{unsaved}</span>
        </p>
      )}
    </Dialog>
  );
}

/**
 * Reads the stored value, and returns it. Closes the editor with a message if the value can't be
 * edited in a cell.
 */
function useBegun({ read, id, field, onClose }: CellEditorProps): Begun | undefined {
  const [begun, setBegun] = useState<Begun>();
  const toast = useToast();
  const end = useRef(onClose);
  end.current = onClose;
  useEffect(() => {
    let isGone = false;
    const begin = async () => {
      const before = valueIn(await read(id), field);
      const typed = typedOf(before);
      if (isGone) return;
      if (typed === undefined)
        throw new Error('its value doesn’t fit on one line. Open the document to edit it.');
      setBegun({ before, typed });
    };
    begin().catch((error: unknown) => {
      if (isGone) return;
      toast(`Couldn’t edit the cell: ${failureText(error)}`, { tone: 'error' });
      end.current();
    });
    return () => {
      isGone = true;
    };
  }, [read, id, field, toast]);
  return begun;
}

interface FrameProps {
  readonly id: string;
  readonly field: string;
  readonly typed: TypedText;
  readonly onTyped: (typed: TypedText) => void;
  readonly problem: string | undefined;
  readonly save: () => void;
  readonly close: () => void;
}

const labelOf = ({ id, field }: FrameProps): string => `${columnLabel(field)} of ${shownId(id)}`;

/**
 * Saves on Enter and on blur; discards on Escape. Also saves on unmount, because a row that scrolls
 * out of view may unmount without a blur.
 */
function InCell({ onGone, ...props }: FrameProps & { onGone: () => void }) {
  const { typed, onTyped, save, close } = props;
  const gone = useRef(onGone);
  gone.current = onGone;
  useEffect(() => () => gone.current(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    // Keys typed into the text must not trigger the table's shortcuts.
    event.stopPropagation();
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter') save();
    else return;
    event.preventDefault();
  };
  const onBlur = (event: FocusEvent) => {
    if (!event.currentTarget.contains(event.relatedTarget)) save();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of the fields inside
    <div
      className="absolute top-0 left-0 z-[3] flex h-10 w-full min-w-72 items-center gap-1 rounded-md border border-accent bg-surface px-1 shadow-3"
      onKeyDown={onKeyDown}
      onBlur={onBlur}
    >
      <ValueInput label={labelOf(props)} typed={typed} onTyped={onTyped} kinds={KINDS} autoFocus />
    </div>
  );
}

function InFront(props: FrameProps) {
  const { id, field, typed, onTyped, problem, save, close } = props;
  const form = useId();
  return (
    <Dialog
      open
      onClose={close}
      title={`Edit ${columnLabel(field)}`}
      description={<span className="break-all">{shownId(id)}</span>}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" form={form} tone="primary" disabled={problem !== undefined}>
            Save
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="flex flex-wrap items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <ValueInput label={labelOf(props)} typed={typed} onTyped={onTyped} kinds={KINDS} autoFocus />
        {problem !== undefined && <p className="w-full text-sm text-conflict">{problem}</p>}
      </form>
    </Dialog>
  );
}
