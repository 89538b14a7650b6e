import { ArrowDown, ArrowUp, Pin, PinOff } from 'lucide-react';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { columnLabel } from '../../../values/field-label.ts';
import { arranged, PLAIN_LAYOUT, withHidden, withPinned, withStep } from './table-layout.ts';
import type { TableColumns } from './use-table-columns.ts';

/** Lets the user choose which columns are shown, and in which order. */
export function ColumnsDialog(props: { open: boolean; onClose: () => void; columns: TableColumns }) {
  const { open, onClose, columns } = props;
  const { fields, uses, layout, change } = columns;
  const hidden = fields.filter((field) => layout.hidden.includes(field));
  const listed = [...arranged(fields, layout), ...hidden];
  const documentsBy = new Map(uses.map(({ field, documents }) => [field, documents]));
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Columns"
      description="Your choice is saved in this browser."
      actions={
        <>
          <Button onClick={() => change(() => PLAIN_LAYOUT)}>Reset</Button>
          <Button tone="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <ul aria-label="Columns" className="-mx-2 max-h-[50vh] overflow-y-auto py-1">
        {listed.map((field) => {
          const isHidden = layout.hidden.includes(field);
          const isPinned = layout.pinned.includes(field);
          const label = columnLabel(field);
          return (
            <li key={field} className="flex items-center gap-1 rounded-md px-2 py-0.5 hover:bg-hover">
              <label className="flex min-w-0 grow cursor-pointer items-center gap-2 py-1 text-sm">
                <input
                  type="checkbox"
                  className="size-4 shrink-0 accent-accent"
                  checked={!isHidden}
                  disabled={field === '_id'}
                  onChange={() => change((now) => withHidden(now, field, !isHidden))}
                />
                <span className="truncate" title={label}>
                  {label}
                </span>
                <span className="ml-auto shrink-0 text-xs text-ink-3 tabular-nums">
                  <span className="sr-only">documents: </span>
                  {(documentsBy.get(field) ?? 0).toLocaleString('en')}
                </span>
              </label>
              <IconButton
                label={`${isPinned ? 'Unpin' : 'Pin'} ${label}`}
                className="!size-7"
                onClick={() => change((now) => withPinned(now, field, !isPinned))}
              >
                {isPinned ? <PinOff size={13} aria-hidden /> : <Pin size={13} aria-hidden />}
              </IconButton>
              <IconButton
                label={`Move ${label} left`}
                className="!size-7"
                disabled={isHidden}
                onClick={() => change((now, all) => withStep(now, all, field, -1))}
              >
                <ArrowUp size={13} aria-hidden />
              </IconButton>
              <IconButton
                label={`Move ${label} right`}
                className="!size-7"
                disabled={isHidden}
                onClick={() => change((now, all) => withStep(now, all, field, 1))}
              >
                <ArrowDown size={13} aria-hidden />
              </IconButton>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
