import { ListTree, Table } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';

/** The parameter of the address that chooses between the table and the schema. */
export const SHOW_PARAMETER = 'show';
export const SCHEMA = 'schema';

const LINK =
  'flex h-6 items-center pointer-coarse:min-h-8 gap-1.5 rounded px-2 text-sm font-medium text-ink-2 hover:text-ink aria-[current=page]:bg-surface aria-[current=page]:text-ink aria-[current=page]:shadow-1 max-sm:h-9';

/** Links to the two views of a database's documents. */
export function SchemaSwitch({ isSchema }: { isSchema: boolean }) {
  const { search } = useLocation();
  const searchWith = (shown: string | undefined) => {
    const parameters = new URLSearchParams(search);
    parameters.delete(SHOW_PARAMETER);
    if (shown !== undefined) parameters.set(SHOW_PARAMETER, shown);
    return parameters.toString();
  };
  const link = (shown: string | undefined, isCurrent: boolean, icon: ReactNode, text: string) => (
    <Link to={{ search: searchWith(shown) }} aria-current={isCurrent ? 'page' : undefined} className={LINK}>
      {icon} <span className="max-lg:sr-only">{text}</span>
    </Link>
  );
  return (
    <nav
      aria-label="Views of the documents"
      className="flex shrink-0 rounded-md bg-pressed p-0.5 print:hidden"
    >
      {link(undefined, !isSchema, <Table size={14} aria-hidden />, 'Table')}
      {link(SCHEMA, isSchema, <ListTree size={14} aria-hidden />, 'Schema')}
    </nav>
  );
}
