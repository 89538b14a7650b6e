import { Bookmark, Check, ChevronDown, Link2, Pencil, Plus, RotateCw, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import {
  isView,
  labelOf,
  type StoredQuery,
  savedPath,
  savedQueriesOf,
  saveQuery,
} from '../../../local/saved-queries.ts';
import { useSavedQueries } from '../../../local/use-saved-queries.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/forms/form.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { Menu, MenuItem, MenuNote, MenuSeparator } from '../../../ui/overlays/menu.tsx';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { filterIn, setFilter } from '../../filter/filter-address.ts';
import { addressOfLayout, type TableLayout } from '../table/table-layout.ts';

const ICON = { size: 14, 'aria-hidden': true } as const;

export interface ViewsMenuProps {
  /** The name of the database. */
  readonly database: string;
  readonly layout: TableLayout;
}

/** Lists the saved views of a table, and saves the filter, the order and the columns as a view. */
export function ViewsMenu({ database, layout }: ViewsMenuProps) {
  const [asked, ask] = useState<'save' | 'rename' | undefined>();
  const views = useViews(database, layout);
  const { all, open, isEdited } = views;
  const label = open === undefined ? 'Views' : open.label;
  return (
    <>
      <Menu
        trigger={
          <Button className="max-sm:px-2.5" title="Saved views">
            <Bookmark {...ICON} />
            <span className="max-w-36 truncate max-sm:sr-only">{label}</span>
            {isEdited && <span className="text-xs text-ink-3 max-sm:sr-only">edited</span>}
            <ChevronDown size={12} aria-hidden />
          </Button>
        }
      >
        <MenuNote>{all.length === 0 ? 'No saved views yet' : 'Saved views'}</MenuNote>
        {all.map(({ query, label: name }) => (
          <MenuItem key={query._id} onClick={() => views.show(query)}>
            {query._id === open?.query._id ? <Check {...ICON} /> : <Bookmark {...ICON} />}
            <span className="max-w-56 truncate">{name}</span>
          </MenuItem>
        ))}
        <MenuSeparator />
        {open !== undefined && isEdited && (
          <MenuItem onClick={() => void views.update(open)}>
            <RotateCw {...ICON} /> Update this view
          </MenuItem>
        )}
        <MenuItem onClick={() => ask('save')}>
          <Plus {...ICON} /> Save as a new view
        </MenuItem>
        <MenuItem onClick={() => void views.copyLink()}>
          <Link2 {...ICON} /> Copy a link to this view
        </MenuItem>
        {open !== undefined && (
          <>
            <MenuItem onClick={() => ask('rename')}>
              <Pencil {...ICON} /> Rename this view
            </MenuItem>
            <MenuItem onClick={() => void views.remove(open)}>
              <Trash2 {...ICON} /> Delete this view
            </MenuItem>
            <MenuItem onClick={views.leave}>Show all documents</MenuItem>
          </>
        )}
      </Menu>
      {asked !== undefined && (
        <NameDialog
          title={asked === 'save' ? 'Save view' : 'Rename view'}
          name={asked === 'rename' && open !== undefined ? open.label : ''}
          onClose={() => ask(undefined)}
          onName={(name) => {
            if (asked === 'save') void views.save(name);
            else if (open !== undefined) void views.rename(open, name);
          }}
        />
      )}
    </>
  );
}

interface Named {
  readonly query: StoredQuery;
  readonly label: string;
}

function useViews(database: string, layout: TableLayout) {
  const { queries } = useSavedQueries(database);
  const [parameters] = useSearchParams();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const toast = useToast();
  const all = queries
    .map((query, at): Named => ({ query, label: labelOf(query, at) }))
    .filter(({ query }) => isView(query));
  const id = parameters.get(VIEW_PARAMETER);
  const open = all.find(({ query }) => query._id === id);
  const view = viewOf(parameters, layout);
  const pathOf = (query: StoredQuery) => savedPath(query, { all: pathname, query: pathname });

  const report = async (what: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      toast(`Couldn’t ${what} the view: ${failureText(error)}`, { tone: 'error' });
    }
  };
  const put = (query: StoredQuery | undefined, name: string, text: string) =>
    saveQuery(database, { ...(query && { _id: query._id }), name, view: text });

  return {
    all,
    open,
    isEdited: open !== undefined && open.query.view !== view,
    show: (query: StoredQuery) => void navigate(pathOf(query)),
    leave: () => void navigate({ search: withoutView(parameters).toString() }),
    save: (name: string) =>
      report('save', async () => {
        const _id = await put(undefined, name, view);
        toast(`Saved the view "${name}".`);
        await navigate(pathOf({ _id, name, view }), { replace: true });
      }),
    rename: ({ query }: Named, name: string) =>
      report('rename', async () => {
        await put(query, name, query.view ?? '');
        toast(`Renamed the view to "${name}".`);
      }),
    update: ({ query, label }: Named) =>
      report('update', async () => {
        await put(query, label, view);
        toast(`Updated the view "${label}".`, {
          undo: () => void report('restore', async () => void (await put(query, label, query.view ?? ''))),
        });
      }),
    remove: ({ query, label }: Named) =>
      report('delete', async () => {
        await savedQueriesOf(database).del(query._id);
        toast(`Deleted the view "${label}".`, {
          undo: () => void report('restore', async () => void (await put(query, label, query.view ?? ''))),
        });
        await navigate({ search: withoutView(parameters).toString() });
      }),
    copyLink: async () => {
      try {
        await navigator.clipboard.writeText(`${location.origin}${pathname}?${view}`);
        toast('Link copied. It contains the filter, the order and the columns.');
      } catch {
        toast('Couldn’t copy the link because the browser blocked it.', { tone: 'error' });
      }
    },
  };
}

interface NameDialogProps {
  readonly title: string;
  readonly name: string;
  readonly onClose: () => void;
  readonly onName: (name: string) => void;
}

function NameDialog({ title, name: given, onClose, onName }: NameDialogProps) {
  const [name, setName] = useState(given);
  const [isEmpty, setEmpty] = useState(false);
  const form = useId();
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      description="A view has the filter, the order and the columns of the table."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} tone="primary">
            {title}
          </Button>
        </>
      }
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          const trimmed = name.trim();
          setEmpty(trimmed === '');
          if (trimmed === '') return;
          onName(trimmed);
          onClose();
        }}
      >
        <TextField
          label="Name of the view"
          autoFocus
          autoComplete="off"
          value={name}
          error={isEmpty ? 'Enter a name.' : undefined}
          onChange={(event) => setName(event.target.value)}
        />
      </form>
    </Dialog>
  );
}

/** The parameter with the id of the open view. */
const VIEW_PARAMETER = 'view';
const LAYOUT_PARAMETER = 'layout';

/** Returns the parameters of a view of the table: what it shows, and its columns. */
function viewOf(parameters: URLSearchParams, layout: TableLayout): string {
  const view = new URLSearchParams();
  const { parts, malformed } = filterIn(parameters);
  setFilter(view, parts, malformed);
  for (const name of ['find', 'sort']) {
    const value = parameters.get(name);
    if (value !== null && value !== '') view.set(name, value);
  }
  view.set(LAYOUT_PARAMETER, addressOfLayout(layout));
  return view.toString();
}

/** Returns the address of the table without a view and its parameters. */
function withoutView(parameters: URLSearchParams): URLSearchParams {
  const others = new URLSearchParams(parameters);
  for (const name of [VIEW_PARAMETER, LAYOUT_PARAMETER, 'filter', 'where', 'find', 'sort'])
    others.delete(name);
  return others;
}
