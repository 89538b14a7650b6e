import { ChevronDown, Pencil, Plus, Trash2 } from 'lucide-react';
import type { DatabasePages } from '../../local/database-pages.ts';
import { labelOf, type StoredQuery, savedPath } from '../../local/saved-queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Menu, MenuItem, MenuLink, MenuSeparator } from '../../ui/overlays/menu.tsx';
import type { Saving } from './use-saving.ts';

export interface QueryNameProps {
  /** The id of the form that saves the query. */
  readonly form: string;
  readonly saving: Saving;
  readonly saved: StoredQuery | undefined;
  readonly queries: readonly StoredQuery[];
  readonly pages: DatabasePages;
  readonly isEdited: boolean;
  readonly onRevert: () => void;
}

/** Shows the name of the query, and opens others. */
export function QueryName({ form, saving, saved, queries, pages, isEdited, onRevert }: QueryNameProps) {
  return (
    <div className="flex min-h-10.5 shrink-0 items-center gap-2 border-b border-line py-1 pr-2 pl-2.5">
      <form
        id={form}
        className="relative min-w-0 grow"
        onSubmit={(event) => {
          event.preventDefault();
          void saving.save();
        }}
      >
        <Pencil
          size={12}
          aria-hidden
          className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-ink-3"
        />
        <input
          aria-label="Query name"
          autoComplete="off"
          value={saving.name}
          onChange={({ target }) => saving.setName(target.value)}
          className="h-7 w-full min-w-24 truncate rounded-md border border-transparent bg-transparent pr-7 pl-1.5 text-sm font-semibold -outline-offset-1 hover:border-control-line focus:border-control-line max-sm:h-10 max-sm:text-[1rem]"
        />
      </form>
      {isEdited && (
        <>
          <Badge>Edited</Badge>
          <Button tone="quiet" size="sm" onClick={onRevert}>
            Revert
          </Button>
        </>
      )}
      {(queries.length > 0 || saved !== undefined) && (
        <Menu
          trigger={
            <Button tone="quiet">
              Open <ChevronDown size={14} aria-hidden />
            </Button>
          }
        >
          {queries.map((query, at) => (
            <MenuLink key={query._id} to={savedPath(query, pages)}>
              <span className="max-w-64 truncate">{labelOf(query, at)}</span>
            </MenuLink>
          ))}
          <MenuSeparator />
          <MenuLink to={pages.query}>
            <Plus size={14} aria-hidden />
            New query
          </MenuLink>
          {saved !== undefined && (
            <MenuItem onClick={() => void saving.remove(saved)}>
              <Trash2 size={14} aria-hidden />
              Remove this query
            </MenuItem>
          )}
        </Menu>
      )}
    </div>
  );
}
