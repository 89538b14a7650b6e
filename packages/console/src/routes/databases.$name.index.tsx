import { useNavigate } from 'react-router';
import { DocumentsTable } from '../features/documents/documents-table.tsx';
import { destroyLocal } from '../local/databases.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { PageHeader } from '../ui/feedback.tsx';
import { useToast } from '../ui/toaster.tsx';
import { useLocalDatabase } from './databases.$name.tsx';

/** /fp/databases/{name}: all documents. */
export function Component() {
  const { database, name, connectedName, base } = useLocalDatabase();
  const navigate = useNavigate();
  const toast = useToast();
  const remove = async () => {
    if (!window.confirm(`Are you sure you want to delete the database "${database.name}"?`)) return;
    try {
      await destroyLocal(database.name);
      await navigate('/');
    } catch (error) {
      toast(`The database was not deleted: ${(error as Error).message}`, { tone: 'error' });
    }
  };
  return (
    <>
      <title>{`${name} · Fixpoint`}</title>
      <PageHeader
        title={name}
        above={connectedName === undefined ? 'Local database' : `${connectedName} / ${name}`}
      >
        <LinkButton to={`${base}/docs/new`} tone="primary">
          New Document
        </LinkButton>
        <Button tone="danger" onClick={() => void remove()}>
          Delete Database
        </Button>
      </PageHeader>
      <DocumentsTable database={database} basePath={`${base}/docs`} />
    </>
  );
}
