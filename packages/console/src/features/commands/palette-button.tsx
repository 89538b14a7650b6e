import { Search } from 'lucide-react';
import { isMac, keyNames, PAGE_SHORTCUTS } from '../../ui/shortcut-table.ts';
import { Keys } from '../../ui/text/kbd.tsx';
import { loadCommandCenter, useCommandCenter } from './command-keys.tsx';

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
      className="mx-1.5 flex h-(--control) min-w-(--control) shrink-0 cursor-pointer items-center justify-center gap-2 rounded-md text-sm text-ink-3 transition-colors hover:bg-pressed hover:text-ink max-sm:mx-0 xl:min-w-53 xl:justify-start xl:border xl:border-line xl:bg-surface xl:pr-1 xl:pl-2 xl:hover:bg-surface"
      onClick={() => open('palette')}
      onPointerEnter={loadAhead}
      onFocus={loadAhead}
    >
      <Search size={16} aria-hidden className="shrink-0" />
      <span className="whitespace-nowrap max-xl:sr-only">Search and commands</span>
      <span className="ml-auto max-xl:hidden">
        <Keys strokes={strokes} />
      </span>
    </button>
  );
}
