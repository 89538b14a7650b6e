import type { BridgedDatabase } from 'fixpoint/bridge';
import { type FocusEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { failureText } from '../../local/failure-text.ts';
import { useToast } from '../../ui/toaster.tsx';
import { columnLabel } from './columns.ts';
import { parseTyped, type TypedText, typedOf, type ValueKind, valueIn } from './field-value.ts';
import type { CellWrite } from './use-cell-writes.ts';
import { ValueInput } from './value-input.tsx';

export interface CellEditorProps {
  readonly database: BridgedDatabase;
  readonly id: string;
  readonly field: string;
  readonly write: CellWrite;
  readonly onClose: () => void;
}

const KINDS: readonly ValueKind[] = ['text', 'number', 'boolean', 'null', 'json', 'none'];

interface Begun {
  readonly before: unknown;
  readonly typed: TypedText;
}

/** The stored value of one cell, to be typed anew: Enter and leaving save it, Escape leaves it as it is. */
export function CellEditor({ database, id, field, write, onClose }: CellEditorProps) {
  const [begun, setBegun] = useState<Begun>();
  const [typed, setTyped] = useState<TypedText>();
  const isOver = useRef(false);
  const toast = useToast();
  const end = useRef(onClose);
  end.current = onClose;
  useEffect(() => {
    let isGone = false;
    const begin = async () => {
      const before = valueIn(await database.get(id), field);
      const first = typedOf(before);
      if (isGone) return;
      if (first === undefined)
        throw new Error('its value does not fit into one line. Open the document instead.');
      setBegun({ before, typed: first });
      setTyped(first);
    };
    begin().catch((error: unknown) => {
      if (isGone) return;
      toast(`The cell cannot be edited: ${failureText(error)}`, { tone: 'error' });
      end.current();
    });
    return () => {
      isGone = true;
    };
  }, [database, id, field, toast]);
  if (begun === undefined || typed === undefined) return null;

  const close = () => {
    isOver.current = true;
    onClose();
  };
  const isSame = typed.kind === begun.typed.kind && typed.text === begun.typed.text;
  const save = () => {
    const parsed = parseTyped(typed);
    if (isOver.current || parsed.problem !== undefined) return;
    close();
    if (!isSame) write(id, { field, value: parsed.value }, begun.before);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // The keys of the table are not those of the text in it.
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
    // biome-ignore lint/a11y/noStaticElementInteractions: hears the keys of the fields in it
    <div
      className="absolute top-0 left-0 z-[3] flex h-10 w-full min-w-72 items-center gap-1 rounded-md border border-accent bg-surface px-1 shadow-pop"
      onKeyDown={onKeyDown}
      onBlur={onBlur}
    >
      <ValueInput
        label={`${columnLabel(field)} of ${id}`}
        typed={typed}
        onTyped={setTyped}
        kinds={KINDS}
        autoFocus
      />
    </div>
  );
}
