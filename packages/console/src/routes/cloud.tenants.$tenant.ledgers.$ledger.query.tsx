import { useParams } from 'react-router';
import { useLedger } from '../features/ledgers/ledger-context.ts';
import { QueryPage } from '../features/query/query-page.tsx';
import { SavedQueryLinks } from '../features/query/saved-query-links.tsx';

/** .../ledgers/{ledgerId}/query/{id?} */
export function Component() {
  const { database, pages, name } = useLedger();
  const { id } = useParams();
  return (
    <>
      <title>{`Query · ${name} · Fixpoint`}</title>
      <SavedQueryLinks database={database.name} pages={pages} />
      <QueryPage database={database} queryId={id} pages={pages} />
    </>
  );
}
