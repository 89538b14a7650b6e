import { ChevronDown, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { fieldLabel } from '../../../values/field-label.ts';
import type { FieldPath } from '../../../values/field-parameter.ts';
import { fieldElement, keyOfPath, pathLabel, useFields } from './field-edits.ts';
import {
  AddField,
  AddItem,
  FieldAuthor,
  FieldMenu,
  KindSelect,
  NameInput,
  partsText,
} from './field-parts.tsx';
import type { FieldNode } from './json-tree.ts';
import { countAtFirst, foldedAtFirst, groupsIn, ROWS, type ShownNode, shownNodes } from './tree-folding.ts';
import { DocumentLink, LostDigits, ValueControl } from './value-control.tsx';

type Doing = { readonly key: string; readonly what: 'value' | 'name' } | undefined;

export interface TreeViewProps {
  readonly fields: readonly FieldNode[];
  /** The field of the address, which is visible at first. */
  readonly field?: FieldPath | undefined;
}

/** Shows a document as a tree, whose values are edited in place. */
export function TreeView({ fields, field }: TreeViewProps) {
  const { canWrite } = useFields();
  const { shown, rest, showMore, folded, setFolded } = useRows(fields, field);
  const [active, setActive] = useState('');
  const [doing, setDoing] = useState<Doing>();
  const tree = useRef<HTMLDivElement>(null);
  const wanted = useRef(false);
  const keys = shown.map(({ node }) => keyOfPath(node.path));
  const activeKey = keys.includes(active) ? active : (keys[0] ?? '');
  useLayoutEffect(() => {
    if (!wanted.current || doing !== undefined) return;
    wanted.current = false;
    if (tree.current !== null) fieldElement(tree.current, activeKey)?.focus();
  });
  const go = (key: string | undefined) => {
    if (key === undefined) return;
    wanted.current = true;
    setActive(key);
  };
  const begin = (key: string, what: 'value' | 'name') => {
    setActive(key);
    setDoing({ key, what });
  };
  const end = () => {
    wanted.current = true;
    setDoing(undefined);
  };
  const groups = useMemo(() => groupsIn(fields), [fields]);
  return (
    <section aria-label="Document as tree" className="flex flex-col gap-2">
      {groups.length > 0 && (
        <div className="flex justify-end">
          <Button
            tone="quiet"
            size="sm"
            onClick={() => setFolded(folded.size > 0 ? new Set() : new Set(groups))}
          >
            {folded.size > 0 ? 'Unfold all' : 'Fold all'}
          </Button>
        </div>
      )}
      <div ref={tree} role="treegrid" aria-label="Fields" className="rounded-md border border-line">
        {shown.map((one, at) => (
          <TreeRow
            key={keys[at]}
            {...one}
            isActive={keys[at] === activeKey}
            isFolded={folded.has(keys[at] ?? '')}
            doing={doing?.key === keys[at] ? doing?.what : undefined}
            fold={(key, isFolded) => setFolded((now) => withFolded(now, key, isFolded))}
            {...{ go, end }}
            begin={(what) => begin(keys[at] ?? '', what)}
            onStep={(step) => go(keys[at + step])}
            onEnds={(isLast) => go(isLast ? keys.at(-1) : keys[0])}
          />
        ))}
      </div>
      {rest > 0 && (
        <Button className="self-start" onClick={showMore}>
          Show {Math.min(rest, ROWS).toLocaleString('en')} of {rest.toLocaleString('en')} more rows
        </Button>
      )}
      {canWrite && (
        <div>
          <AddField parent={[]} siblings={fields} />
        </div>
      )}
    </section>
  );
}

/** Returns the rows to show, and the number of rows after them. */
function useRows(fields: readonly FieldNode[], field: FieldPath | undefined) {
  const [folded, setFolded] = useState(() => foldedAtFirst(fields, field));
  const all = useMemo(() => shownNodes(fields, folded), [fields, folded]);
  const [limit, setLimit] = useState(() => countAtFirst(all, field));
  const showMore = () => setLimit(limit + ROWS);
  return { shown: all.slice(0, limit), rest: Math.max(0, all.length - limit), showMore, folded, setFolded };
}

function withFolded(now: ReadonlySet<string>, key: string, isFolded: boolean): ReadonlySet<string> {
  const next = new Set(now);
  if (isFolded) next.add(key);
  else next.delete(key);
  return next;
}

interface TreeRowProps extends ShownNode {
  readonly isActive: boolean;
  readonly isFolded: boolean;
  readonly doing: 'value' | 'name' | undefined;
  readonly go: (key: string) => void;
  readonly fold: (key: string, isFolded: boolean) => void;
  readonly begin: (what: 'value' | 'name') => void;
  /** Ends editing, and returns the focus to the row. */
  readonly end: () => void;
  readonly onStep: (step: -1 | 1) => void;
  readonly onEnds: (isLast: boolean) => void;
}

function TreeRow(props: TreeRowProps) {
  const { node, level, siblings, isActive, isFolded, doing, go, fold, begin, end } = props;
  const { edits, canWrite } = useFields();
  const { path, kind, children } = node;
  const key = keyOfPath(path);
  const isGroup = kind === 'list' || kind === 'object';
  const hasChildren = children.length > 0;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a row of a grid that isn't a table element
    <div
      role="row"
      // Without a name, screen readers would read all buttons and types of the row.
      aria-label={`${fieldLabel(String(node.name))}: ${valueText(node)}`}
      aria-level={level}
      aria-setsize={siblings.length}
      aria-posinset={siblings.indexOf(node) + 1}
      aria-expanded={hasChildren ? !isFolded : undefined}
      aria-selected={isActive}
      data-node={key}
      tabIndex={isActive ? 0 : -1}
      className="flex min-h-8 flex-wrap items-center gap-x-2 border-b border-line py-0.5 pr-1 -outline-offset-2 last:border-0 hover:bg-hover"
      style={{ paddingLeft: `min(${(level - 1) * 1.25 + 0.5}rem, 40%)` }}
      onFocus={({ target, currentTarget }) => target === currentTarget && !isActive && go(key)}
      onKeyDown={(event) => onTreeKey(event, props, canWrite, edits.move)}
      onClick={({ target }) => {
        if (target instanceof Element && target.closest('button, a, input, select, textarea') === null)
          go(key);
      }}
    >
      {/* biome-ignore lint/a11y: a cell of a grid; the focus is in its row or its controls */}
      <div
        role="gridcell"
        className="flex w-44 max-w-full min-w-0 shrink-0 items-center gap-1 text-sm max-sm:w-26"
      >
        <button
          type="button"
          tabIndex={-1}
          aria-label={isFolded ? `Unfold ${pathLabel(path)}` : `Fold ${pathLabel(path)}`}
          className={`grid size-6 pointer-coarse:min-h-8 pointer-coarse:min-w-8 shrink-0 cursor-pointer place-items-center rounded text-ink-3 hover:bg-pressed ${hasChildren ? '' : 'invisible'}`}
          onClick={() => fold(key, !isFolded)}
        >
          {isFolded ? <ChevronRight size={14} aria-hidden /> : <ChevronDown size={14} aria-hidden />}
        </button>
        <NodeName {...{ node, siblings, go, end }} isEdited={doing === 'name'} />
      </div>
      {/* biome-ignore lint/a11y: a cell of a grid; the focus is in its row or its controls */}
      <div role="gridcell" className="flex min-w-0 grow basis-32 items-center gap-2 max-sm:basis-16">
        {doing === 'value' && !isGroup ? (
          <EditedValue node={node} onEnd={end} />
        ) : isGroup ? (
          <span className={`min-w-0 grow truncate px-1 text-sm ${TONES[kind]}`}>{valueText(node)}</span>
        ) : (
          <button
            type="button"
            tabIndex={-1}
            disabled={!canWrite}
            className={`min-w-0 grow cursor-text truncate rounded px-1 text-left text-sm disabled:cursor-default ${TONES[kind]}`}
            onClick={() => begin('value')}
          >
            {valueText(node)}
          </button>
        )}
        <DocumentLink node={node} />
        {doing !== 'value' && <LostDigits node={node} />}
        {canWrite &&
          isGroup &&
          !isFolded &&
          (kind === 'list' ? <AddItem list={node} /> : <AddField parent={path} siblings={children} />)}
      </div>
      {/* biome-ignore lint/a11y: a cell of a grid; the focus is in its row or its controls */}
      <div role="gridcell" className="ml-auto flex items-center gap-1 max-sm:gap-0">
        <span className="max-w-44 min-w-0 max-sm:max-w-6">
          <FieldAuthor node={node} />
        </span>
        <KindSelect node={node} />
        <FieldMenu node={node} onRename={() => begin('name')} />
      </div>
    </div>
  );
}

function NodeName(props: Pick<TreeRowProps, 'node' | 'siblings' | 'go' | 'end'> & { isEdited: boolean }) {
  const { node, siblings, go, end, isEdited } = props;
  const { edits } = useFields();
  const name = String(node.name);
  if (!isEdited)
    return (
      <span className="block truncate" title={name}>
        {fieldLabel(name)}
      </span>
    );
  return (
    <NameInput
      label={`New name of ${pathLabel(node.path)}`}
      initial={name}
      siblings={siblings}
      isTop={node.path.length === 1}
      onName={(next) => {
        edits.rename(node.path, next);
        go(keyOfPath([...node.path.slice(0, -1), next]));
      }}
      onClose={end}
    />
  );
}

const TONES: Readonly<Record<FieldNode['kind'], string>> = {
  text: 'text-ink',
  number: 'text-history tabular-nums',
  boolean: 'text-accent-ink',
  null: 'text-ink-3',
  list: 'text-ink-3',
  object: 'text-ink-3',
};

function valueText({ kind, text, children }: FieldNode): string {
  if (kind === 'list' || kind === 'object') return partsText(kind, children.length);
  return text === '' ? '(empty)' : text;
}

/** Writes each change into the draft. Escape restores the value from before. */
function EditedValue({ node, onEnd }: { node: FieldNode; onEnd: () => void }) {
  const { edits } = useFields();
  const [before] = useState(() => edits.jsonAt(node.path));
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Escape') edits.setJson(node.path, before);
    else if (event.key !== 'Enter' || event.target instanceof HTMLTextAreaElement) return;
    event.preventDefault();
    onEnd();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of the input inside
    <div className="min-w-0 grow" onKeyDown={onKeyDown}>
      <ValueControl node={node} hasFocus />
    </div>
  );
}

function onTreeKey(
  event: KeyboardEvent<HTMLElement>,
  { node, siblings, isFolded, fold, begin, onStep, onEnds, go }: TreeRowProps,
  canWrite: boolean,
  move: (path: FieldNode['path'], step: -1 | 1) => void,
): void {
  // Keys of the row's own buttons and inputs.
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey) return;
  const { path, children, kind, name } = node;
  const key = keyOfPath(path);
  const isGroup = kind === 'list' || kind === 'object';
  const parent = path.length > 1 ? keyOfPath(path.slice(0, -1)) : undefined;
  const steps: Record<string, -1 | 1> = { ArrowDown: 1, ArrowUp: -1 };
  const step = steps[event.key];
  if (step !== undefined && event.altKey) {
    const to = typeof name === 'number' ? siblings[name + step] : undefined;
    if (!canWrite || to === undefined) return;
    move(path, step);
    go(keyOfPath(to.path));
  } else if (event.altKey) return;
  else if (step !== undefined) onStep(step);
  else if (event.key === 'Home' || event.key === 'End') onEnds(event.key === 'End');
  else if (event.key === 'ArrowRight' && children.length > 0) isFolded ? fold(key, false) : onStep(1);
  else if (event.key === 'ArrowLeft' && children.length > 0 && !isFolded) fold(key, true);
  else if (event.key === 'ArrowLeft' && parent !== undefined) go(parent);
  else if ((event.key === 'Enter' || event.key === 'F2') && canWrite && !isGroup) begin('value');
  else return;
  event.preventDefault();
}
