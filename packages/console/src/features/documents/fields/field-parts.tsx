import {
  ArrowDown,
  ArrowUp,
  Braces,
  Brackets,
  Ellipsis,
  Hash,
  Link2,
  type LucideIcon,
  PencilLine,
  Plus,
  SquareSlash,
  ToggleRight,
  Trash2,
  Type,
} from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import { useLocation } from 'react-router';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/overlays/menu.tsx';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { type FieldPath, fieldParameter } from '../../../values/field-parameter.ts';
import { FieldAuthorMark } from '../../history/versions/field-author-mark.tsx';
import { pathLabel, useFields } from './field-edits.ts';
import { type FieldKind, type FieldNode, nameProblem } from './json-tree.ts';
import { KIND_LABELS } from './value-control.tsx';

const ICON = { size: 14, 'aria-hidden': true } as const;
const SMALL =
  'h-(--control) min-w-0 rounded-md border border-control-line bg-surface px-2 text-sm -outline-offset-1 aria-invalid:border-conflict max-sm:text-[1rem]';

/** Offers what users can do with a field besides changing its value. */
export function FieldMenu({ node, onRename }: { node: FieldNode; onRename: () => void }) {
  const { edits, canWrite } = useFields();
  const copyLink = useCopyLink(node.path);
  const isItem = typeof node.name === 'number';
  const trigger = (
    <IconButton label={`More for ${pathLabel(node.path)}`}>
      <Ellipsis {...ICON} />
    </IconButton>
  );
  return (
    <Menu trigger={trigger}>
      {canWrite && !isItem && (
        <MenuItem onClick={onRename}>
          <PencilLine {...ICON} /> Rename
        </MenuItem>
      )}
      {canWrite && isItem && (
        <>
          <MenuItem onClick={() => edits.move(node.path, -1)}>
            <ArrowUp {...ICON} /> Move up
          </MenuItem>
          <MenuItem onClick={() => edits.move(node.path, 1)}>
            <ArrowDown {...ICON} /> Move down
          </MenuItem>
        </>
      )}
      <MenuItem onClick={() => void copyLink()}>
        <Link2 {...ICON} /> Copy link to this field
      </MenuItem>
      {canWrite && (
        <>
          <MenuSeparator />
          <MenuItem onClick={() => edits.remove(node.path)}>
            <Trash2 {...ICON} /> {isItem ? 'Remove value' : 'Remove field'}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}

function useCopyLink(path: FieldPath): () => Promise<void> {
  const { pathname } = useLocation();
  const toast = useToast();
  return async () => {
    try {
      const search = new URLSearchParams({ field: fieldParameter(path) });
      await navigator.clipboard.writeText(`${location.origin}${pathname}?${search}`);
      toast('Link copied.');
    } catch {
      toast('Couldn’t copy the link because the browser blocked it.', { tone: 'error' });
    }
  };
}

const KIND_ICONS: Readonly<Record<FieldKind, LucideIcon>> = {
  text: Type,
  number: Hash,
  boolean: ToggleRight,
  null: SquareSlash,
  list: Brackets,
  object: Braces,
};

/**
 * Chooses the type of a value. A phone, and a form, show only the icon of the type, and the
 * browser's own list after a press.
 */
export function KindSelect({ node, isIcon = false }: { node: FieldNode; isIcon?: boolean }) {
  const { edits, canWrite } = useFields();
  const Icon = KIND_ICONS[node.kind];
  return (
    <span
      title={isIcon ? KIND_LABELS[node.kind] : undefined}
      className={`relative grid shrink-0 place-items-center rounded-md text-ink-3 max-sm:size-10 max-sm:has-focus-visible:outline-2 max-sm:has-focus-visible:-outline-offset-2 ${isIcon ? 'size-(--control) has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-enabled:hover:bg-hover' : ''}`}
    >
      <Icon
        size={14}
        aria-hidden
        className={`pointer-events-none ${isIcon ? '' : 'sm:absolute sm:left-2'}`}
      />
      <select
        aria-label={`Type of ${pathLabel(node.path)}`}
        disabled={!canWrite}
        value={node.kind}
        className={`cursor-pointer disabled:opacity-100 ${isIcon ? 'absolute inset-0 size-full opacity-0 disabled:opacity-0' : 'h-(--control) w-32 rounded-md border border-transparent pr-1 pl-6.5 text-xs -outline-offset-1 enabled:hover:border-control-line disabled:appearance-none max-sm:absolute max-sm:inset-0 max-sm:size-10 max-sm:opacity-0'}`}
        onChange={({ target }) => edits.setKind(node, target.value as FieldKind)}
      >
        {Object.entries(KIND_LABELS).map(([kind, label]) => (
          <option key={kind} value={kind}>
            {label}
          </option>
        ))}
      </select>
    </span>
  );
}

export interface NameInputProps {
  readonly label: string;
  readonly initial: string;
  readonly siblings: readonly FieldNode[];
  /** Whether the field belongs to the document itself, which has an `_id`. */
  readonly isTop: boolean;
  readonly onName: (name: string) => void;
  readonly onClose: () => void;
}

/** Asks for the name of a field. Enter and leaving take a valid name; Escape discards it. */
export function NameInput({ label, initial, siblings, isTop, onName, onClose }: NameInputProps) {
  const [name, setName] = useState(initial);
  const hint = useId();
  const problem = nameProblem(name, siblings, initial, isTop);
  const take = () => {
    if (problem === undefined && name !== initial) onName(name);
    onClose();
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (problem === undefined) take();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key !== 'Escape') return;
    event.preventDefault();
    onClose();
  };
  return (
    <form onSubmit={onSubmit} className="min-w-0">
      <input
        aria-label={label}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : hint}
        // biome-ignore lint/a11y/noAutofocus: the user asked for this input
        autoFocus
        autoComplete="off"
        spellCheck={false}
        value={name}
        className={`${SMALL} w-full`}
        onChange={({ target }) => setName(target.value)}
        onKeyDown={onKeyDown}
        onBlur={take}
      />
      {problem !== undefined && (
        <p id={hint} className="mt-1 text-xs text-conflict">
          {problem}
        </p>
      )}
    </form>
  );
}

/** In a row of the tree, a phone has room only for the icon. */
const BESIDE_TREE = 'max-sm:[[role=row]_&]:hidden';

/** Adds a field to the document or to an object. */
export function AddField({ parent, siblings }: { parent: FieldPath; siblings: readonly FieldNode[] }) {
  const { edits } = useFields();
  const [isAsking, setAsking] = useState(false);
  const where = parent.length === 0 ? '' : ` to ${pathLabel(parent)}`;
  if (isAsking)
    return (
      <div className="max-w-60">
        <NameInput
          label={`Name of the new field${where}`}
          initial=""
          siblings={siblings}
          isTop={parent.length === 0}
          onName={(name) => edits.add(parent, name)}
          onClose={() => setAsking(false)}
        />
      </div>
    );
  return (
    <Button tone="quiet" size="sm" aria-label={`Add a field${where}`} onClick={() => setAsking(true)}>
      <Plus {...ICON} /> <span className={BESIDE_TREE}>Add a field</span>
    </Button>
  );
}

export function AddItem({ list }: { list: FieldNode }) {
  const { edits } = useFields();
  return (
    <Button
      tone="quiet"
      size="sm"
      aria-label={`Add a value to ${pathLabel(list.path)}`}
      onClick={() => edits.addItem(list)}
    >
      <Plus {...ICON} /> <span className={BESIDE_TREE}>Add a value</span>
    </Button>
  );
}

/** Shows who gave a top-level field its value, if authors are shown. */
export function FieldAuthor({ node }: { node: FieldNode }) {
  const { authors, historyPath } = useFields();
  const { path, kind, text, children } = node;
  const name = String(path[0]);
  const author = path.length === 1 ? authors?.get(name) : undefined;
  if (author === undefined) return null;
  const value = kind === 'list' || kind === 'object' ? partsText(kind, children.length) : text;
  return <FieldAuthorMark {...{ author, value, historyPath }} field={name} />;
}

/** Counts the values of a list, or the fields of an object. */
export function partsText(kind: 'list' | 'object', count: number): string {
  const part = kind === 'list' ? 'value' : 'field';
  return count === 1 ? `1 ${part}` : `${count.toLocaleString('en')} ${part}s`;
}
