import { ArrowDownToLine, ClipboardPaste, Copy, X } from 'lucide-react';
import { Button } from '../../../ui/button.tsx';
import { Menu, MenuItem } from '../../../ui/overlays/menu.tsx';
import type { CellBlock } from '../../grid/grid-column.ts';
import { COPY_FORMATS, type CopyFormat } from './block-text.ts';

const ICON = { size: 14, 'aria-hidden': true } as const;

export interface BlockBarProps {
  readonly block: CellBlock;
  readonly onCopy: (format: CopyFormat) => void;
  /** Undefined for users who can't write. */
  readonly onFill: (() => void) | undefined;
  /** Undefined for users who can't write. */
  readonly onPaste: (() => void) | undefined;
  readonly onClear: () => void;
}

/** Shows the actions for a selected block of cells. */
export function BlockBar({ block, onCopy, onFill, onPaste, onClear }: BlockBarProps) {
  const rows = block.toAt - block.fromAt + 1;
  const columns = block.columns.length;
  return (
    <section
      aria-label="Selected cells"
      className="floating-bar absolute bottom-10.5 left-1/2 z-10 flex min-h-10 w-max max-w-[calc(100%-1rem)] -translate-x-1/2 animate-appear flex-wrap items-center gap-0.5 rounded-[0.625rem] border border-transparent bg-ink py-1 pr-1.5 pl-3.5 text-surface shadow-3 dark:bg-pressed dark:text-ink"
    >
      <p role="status" className="mr-2 font-medium">
        {rows.toLocaleString('en')} {rows === 1 ? 'row' : 'rows'} × {columns}{' '}
        {columns === 1 ? 'column' : 'columns'}
      </p>
      <CopyMenu onCopy={onCopy} />
      {onPaste !== undefined && (
        <Button tone="inverse" onClick={onPaste}>
          <ClipboardPaste {...ICON} /> <span className="max-sm:sr-only">Paste</span>
        </Button>
      )}
      {onFill !== undefined && rows > 1 && (
        <Button tone="inverse" onClick={onFill}>
          <ArrowDownToLine {...ICON} /> <span className="max-sm:sr-only">Fill down</span>
        </Button>
      )}
      <Button tone="inverse" onClick={onClear}>
        <X {...ICON} /> <span className="max-sm:sr-only">Clear</span>
      </Button>
    </section>
  );
}

/** Offers the formats in which cells can be copied. */
export function CopyMenu(props: {
  onCopy: (format: CopyFormat) => void;
  /** Says why nothing can be copied. */
  whyNot?: string | undefined;
}) {
  const { onCopy, whyNot } = props;
  const trigger = (
    <Button tone="inverse" disabled={whyNot !== undefined} title={whyNot}>
      <Copy {...ICON} /> <span className="max-sm:sr-only">Copy</span>
    </Button>
  );
  return (
    <Menu trigger={trigger}>
      {(Object.keys(COPY_FORMATS) as CopyFormat[]).map((format) => (
        <MenuItem key={format} onClick={() => onCopy(format)}>
          Copy as {COPY_FORMATS[format]}
        </MenuItem>
      ))}
    </Menu>
  );
}
