import type { BridgedDatabase } from 'fixpoint/bridge';
import { ArrowUpRight } from 'lucide-react';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { documentPath } from '../../../local/document-path.ts';
import { shownId } from '../../../values/shown-id.ts';
import type { Draft } from '../document/draft.ts';
import { pathLabel } from './field-edits.ts';
import { type FieldNode, fieldsInText } from './json-tree.ts';
import { useLinkedIds } from './linked-documents.ts';

export interface DocumentLinksProps {
  readonly database: BridgedDatabase;
  readonly draft: Draft;
  readonly basePath: string;
}

const CHARS_MAX = 256 * 1024;
const SHOWN_MAX = 50;

/** Lists the links from a document to other documents. */
export function DocumentLinks({ database, draft, basePath }: DocumentLinksProps) {
  const { text, parsed, id } = draft;
  const isValid = parsed.problem === undefined && text.length <= CHARS_MAX;
  const fields = useMemo(() => (isValid ? fieldsInText(text) : undefined), [text, isValid]);
  const linked = useLinkedIds(database, fields, id);
  const links = (fields ?? []).flatMap((field) => linksIn(field, linked));
  if (links.length === 0) return null;
  return (
    <section aria-label="Links to documents" className="flex flex-col gap-1">
      <h2 className="text-xs font-semibold">Links</h2>
      <ul className="text-sm">
        {links.slice(0, SHOWN_MAX).map(({ path, text: target }) => (
          <li key={JSON.stringify(path)} className="flex min-w-0 items-center gap-2">
            <span className="truncate text-ink-3">{pathLabel(path)}</span>
            <Link
              to={documentPath(basePath, target)}
              className="inline-flex min-w-0 items-center gap-1 rounded text-accent-ink hover:underline"
            >
              <span className="truncate">{shownId(target)}</span>
              <ArrowUpRight size={13} aria-hidden className="shrink-0" />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

const linksIn = (node: FieldNode, linked: ReadonlySet<string>): readonly FieldNode[] => [
  ...(node.kind === 'text' && linked.has(node.text) ? [node] : []),
  ...node.children.flatMap((child) => linksIn(child, linked)),
];
