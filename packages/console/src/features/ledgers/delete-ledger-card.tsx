import { type FormEvent, useId, useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { removeLedgerCopy } from '../../cloud/ledgers/ledger-database.ts';
import { ledgerQueries } from '../../cloud/queries/queries.ts';
import { useCall } from '../../cloud/queries/use-call.ts';
import { forgetNotesOf } from '../../local/forget-notes.ts';
import { removeSavedQueries } from '../../local/saved-queries.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/forms/form.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import type { LedgerContext } from './ledger-context.ts';

/** Deletes a ledger for everybody. The user types its name, since a deletion can't be undone. */
export function DeleteLedgerCard({ ledger }: { ledger: LedgerContext }) {
  const [asking, setAsking] = useState(false);
  return (
    <Card
      title="Delete this database"
      lead="Deletes the database for everybody, with all its documents and their history. This can’t be undone."
    >
      <Button onClick={() => setAsking(true)}>Delete Database</Button>
      {asking && <Ask ledger={ledger} onClose={() => setAsking(false)} />}
    </Card>
  );
}

function Ask({ ledger: { tenantId, ledgerId, name, database }, onClose }: AskProps) {
  const { api, queries } = useApp();
  const toast = useToast();
  const form = useId();
  const [typed, setTyped] = useState('');
  const remove = useCall({
    call: () => api.deleteLedger({ tenantId, ledgerId }),
    changes: [],
    onDone: async (_done, _input, visit) => {
      // Leave the page first. Otherwise it would report the deleted ledger as not found.
      await visit.leadTo(`/fp/cloud/tenants/${tenantId}/ledgers`);
      toast(`${name} deleted.`);
      await queries.invalidateQueries({ queryKey: ledgerQueries.all, refetchType: 'all' });
      forgetNotesOf(database.name);
      try {
        await removeLedgerCopy(ledgerId, database);
        await removeSavedQueries(database.name);
      } catch (error) {
        toast(`Couldn’t delete the copy in this browser. ${failureText(error)}`, { tone: 'error' });
      }
    },
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() === name) remove.mutate(undefined);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Delete ${name}?`}
      description="Attached apps keep their copies, but stop syncing."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={form}
            tone="confirm"
            disabled={typed.trim() !== name || remove.isPending}
          >
            Delete for everybody
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={send}>
        <TextField
          label="Type the name of the database"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          placeholder={name}
          autoComplete="off"
          spellCheck={false}
        />
      </form>
    </Dialog>
  );
}

interface AskProps {
  readonly ledger: LedgerContext;
  readonly onClose: () => void;
}
