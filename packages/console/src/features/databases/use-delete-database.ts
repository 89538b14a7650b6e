import { detachLocal } from '../../cloud/ledgers/attached-databases.ts';
import { useVisit } from '../../leaving/visit.ts';
import { type Connection, forgetConnections } from '../../local/connections.ts';
import { destroyLocal } from '../../local/databases.ts';
import { ledgerIn } from '../../local/endpoint.ts';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { failureText } from '../../ui/text/failure-text.ts';

/**
 * Returns a function that asks for confirmation, and then removes the database from this browser.
 */
export function useDeleteDatabase(name: string, connection: Connection | undefined): () => Promise<void> {
  const begin = useVisit();
  const toast = useToast();
  return async () => {
    const kept =
      connection === undefined || ledgerIn(connection.endpoint) === undefined
        ? ''
        : `\n\n"${connection.remoteName}" in the cloud stays, with all documents that were sent.`;
    const question = `Are you sure you want to delete the database "${name}"?\n\nIts documents, its history and its saved queries are removed from this browser for good.${kept}`;
    if (!window.confirm(question)) return;
    const visit = begin();
    try {
      // Otherwise the sync would go on with a database that is gone.
      await detachLocal(name);
      await destroyLocal(name);
      await forgetConnections(name);
      toast(`${name} deleted.`);
      await visit.leadTo('/');
    } catch (error) {
      toast(`Couldn’t delete the database: ${failureText(error)}`, { tone: 'error' });
    }
  };
}
