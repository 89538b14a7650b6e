import { createContext, useContext, useMemo, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { fieldLabel } from '../../../values/field-label.ts';
import type { FieldPath } from '../../../values/field-parameter.ts';
import { FieldClash } from './field-clash.tsx';
import { keyOfPath, pathLabel, useFields } from './field-edits.ts';
import { AddField, AddItem, FieldAuthor, FieldMenu, KindSelect, NameInput } from './field-parts.tsx';
import type { FieldNode } from './json-tree.ts';
import { countAtFirst, ROWS, shownNodes } from './tree-folding.ts';
import { DocumentLink, ValueControl } from './value-control.tsx';

/** The fields that have a row. */
const Shown = createContext<ReadonlySet<FieldNode>>(new Set());

export interface FormViewProps {
  readonly fields: readonly FieldNode[];
  /** The field of the address, which is visible at first. */
  readonly field?: FieldPath | undefined;
}

/** Shows a document as a form with an input for each value, and a part of a large document. */
export function FormView({ fields, field }: FormViewProps) {
  const all = useMemo(() => shownNodes(fields, new Set()), [fields]);
  const [limit, setLimit] = useState(() => countAtFirst(all, field));
  const shown = useMemo(() => new Set(all.slice(0, limit).map(({ node }) => node)), [all, limit]);
  const rest = all.length - shown.size;
  return (
    <section aria-label="Document as form" className="@container flex flex-col gap-2">
      <Shown value={shown}>
        <FieldRows nodes={fields} parent={[]} />
      </Shown>
      {rest > 0 && (
        <Button className="self-start" onClick={() => setLimit(limit + ROWS)}>
          Show {Math.min(rest, ROWS).toLocaleString('en')} of {rest.toLocaleString('en')} more fields
        </Button>
      )}
    </section>
  );
}

/** Returns the fields that have a row, and whether they are all of the fields. */
function useShown(nodes: readonly FieldNode[]) {
  const all = useContext(Shown);
  const rows = nodes.filter((node) => all.has(node));
  return { rows, isWhole: rows.length === nodes.length };
}

function FieldRows({ nodes, parent }: { nodes: readonly FieldNode[]; parent: FieldPath }) {
  const { canWrite } = useFields();
  const { rows, isWhole } = useShown(nodes);
  return (
    <>
      {rows.map((node) => (
        <FieldRow key={keyOfPath(node.path)} node={node} siblings={nodes} />
      ))}
      {/* A new field would follow fields that aren't shown. */}
      {canWrite && isWhole && (
        <div>
          <AddField parent={parent} siblings={nodes} />
        </div>
      )}
    </>
  );
}

/** On a phone, fields of deeper objects and lists aren't indented: they would have no room. */
const INDENTED = 6;

const CLASHING =
  '[&_:is(input,textarea)]:border-conflict [&_:is(input,textarea)]:ring-3 [&_:is(input,textarea)]:ring-conflict-soft';

function FieldRow({ node, siblings }: { node: FieldNode; siblings: readonly FieldNode[] }) {
  const { edits, authors, clashes } = useFields();
  const hasClash = clashes?.byKey.has(keyOfPath(node.path)) === true;
  const [isNaming, setNaming] = useState(false);
  const { name, path, kind, children } = node;
  const isGroup = kind === 'list' || kind === 'object';
  const label = fieldLabel(String(name));
  return (
    <div
      {...(isGroup && { role: 'group', 'aria-label': pathLabel(path) })}
      className={`grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-2 gap-y-1 ${authors === undefined || path.length > 1 ? '@lg:grid-cols-[9rem_minmax(0,1fr)_auto]' : '@lg:grid-cols-[16rem_minmax(0,1fr)_auto]'}`}
    >
      <div className="flex min-h-(--control) min-w-0 items-center">
        {isNaming ? (
          <NameInput
            label={`New name of ${pathLabel(path)}`}
            initial={String(name)}
            siblings={siblings}
            isTop={path.length === 1}
            onName={(next) => edits.rename(path, next)}
            onClose={() => setNaming(false)}
          />
        ) : (
          <span className="flex min-w-0 grow items-center gap-x-2 tiny:flex-wrap">
            <span className="min-w-0 truncate text-sm text-ink-2" title={String(name)} aria-hidden>
              {label}
            </span>
            <span className="ml-auto min-w-0 shrink tiny:ml-0 @lg:order-first @lg:ml-0 @lg:w-29 @lg:shrink-0 empty:hidden">
              <FieldAuthor node={node} />
            </span>
          </span>
        )}
      </div>
      {isGroup ? (
        <div
          className={`@container flex min-w-0 flex-col gap-2 border-l border-line @max-lg:order-last @max-lg:col-span-2 ${path.length > INDENTED ? 'pl-3 max-sm:pl-0' : 'pl-3 tiny:pl-1'}`}
        >
          {kind === 'object' ? <FieldRows nodes={children} parent={path} /> : <Items list={node} />}
          <FieldClash node={node} />
        </div>
      ) : (
        <div
          className={`flex min-w-0 flex-wrap items-center gap-2 @max-lg:order-last @max-lg:col-span-2 ${hasClash ? CLASHING : ''}`}
        >
          <div className="flex min-w-0 grow items-center gap-2">
            <ValueControl node={node} />
            <DocumentLink node={node} />
          </div>
          <FieldClash node={node} />
        </div>
      )}
      <div className="flex items-center gap-1">
        <KindSelect node={node} isIcon />
        <FieldMenu node={node} onRename={() => setNaming(true)} />
      </div>
    </div>
  );
}

function Items({ list }: { list: FieldNode }) {
  const { canWrite } = useFields();
  const { rows, isWhole } = useShown(list.children);
  return (
    <>
      {rows.map((item) => (
        <FieldRow key={keyOfPath(item.path)} node={item} siblings={list.children} />
      ))}
      {canWrite && isWhole && (
        <div>
          <AddItem list={list} />
        </div>
      )}
    </>
  );
}
