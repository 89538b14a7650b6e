import { Search } from 'lucide-react';
import { PAGE_SHORTCUTS } from '../../ui/shortcut-table.ts';
import { Keys } from '../../ui/text/kbd.tsx';
import { loadCommandCenter, useCommandCenter } from './command-keys.tsx';
import { isMac, keyNames } from './pressed-keys.ts';

/** Opens the palette; shows its shortcut in a wide header. */
export function PaletteButton() {
  const open = useCommandCenter();
  const strokes = keyNames(PAGE_SHORTCUTS.palette.keys[0], isMac());
  const loadAhead = () => void loadCommandCenter().catch(() => undefined);
  return (
    <button
      type="button"
      aria-keyshortcuts={isMac() ? 'Meta+K' : 'Control+K'}
      title={`Search and commands (${strokes.flat().join(' ')})`}
      className="flex h-8 min-w-8 shrink-0 cursor-pointer items-center justify-center gap-2 rounded-md text-sm text-muted transition-colors hover:bg-raised hover:text-text max-sm:h-9 max-sm:min-w-9 xl:border xl:border-line-strong xl:pr-1.5 xl:pl-2.5"
      onClick={() => open('palette')}
      onPointerEnter={loadAhead}
      onFocus={loadAhead}
    >
      <Search size={16} aria-hidden />
      <span className="max-xl:sr-only">Search and commands</span>
      <span className="ml-2 max-xl:hidden">
        <Keys strokes={strokes} />
      </span>
    </button>
  );
}
