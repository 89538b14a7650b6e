import type { Database, DocumentConflicts, DocumentVersion } from 'fixpoint';
import { GitMerge } from 'lucide-react';
import { useCallback } from 'react';
import { useCanWrite } from '../../../local/can-write.ts';
import { Button } from '../../../ui/button.tsx';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { useTask } from '../../../ui/overlays/use-task.ts';
import { eventName } from '../../../values/shown-id.ts';
import { SideBySide } from '../../diff/side-by-side.tsx';
import { useLoaded } from '../use-loaded.ts';

/** Shows a document's conflicting writes with both values; renders nothing without conflicts. */
export function ConflictPanel({ database, id }: { database: Database; id: string }) {
  const { value } = useLoaded(
    database,
    useCallback(() => database.conflicts(id), [database, id]),
  );
  return value === undefined ? null : <Conflict database={database} id={id} conflicts={value} />;
}

export function Conflict(props: { database: Database; id: string; conflicts: DocumentConflicts }) {
  const { database, id, conflicts } = props;
  const toast = useToast();
  const { isBusy, run } = useTask();
  const canWrite = useCanWrite();
  const use = ({ value, isDropped }: DocumentVersion) =>
    run('Couldn’t resolve the conflict', async () => {
      if (isDropped === true) throw new Error('the content of this version is no longer on this device.');
      if (value === undefined) await database.del(id);
      else await database.put(value);
      toast('Conflict resolved.');
    });
  const { winner, losers } = conflicts;
  return (
    <section
      aria-label="Conflict"
      className="flex flex-col gap-3 rounded-lg border border-conflict-line bg-conflict-soft p-4 text-sm"
    >
      <p className="flex items-start gap-2 text-conflict">
        <GitMerge size={16} aria-hidden className="mt-0.5 shrink-0" />
        <span>
          This document was changed on {losers.length + 1} devices at the same time. All devices show the
          first version below. The others are kept until you choose one.
        </span>
      </p>
      {losers.map((loser) => (
        <div key={loser.event} className="flex flex-col gap-2">
          <SideBySide
            before={winner.value}
            after={loser.value}
            beforeLabel={`Shown now · ${eventName(winner.event)}`}
            afterLabel={`${loser.value === undefined ? 'Deleted' : 'Written'} elsewhere · ${eventName(loser.event)}`}
          />
          {canWrite && (
            <div className="flex flex-wrap gap-2 md:grid md:grid-cols-2">
              <Button disabled={isBusy} className="md:justify-self-start" onClick={() => void use(winner)}>
                Keep the version shown now
              </Button>
              <Button disabled={isBusy} className="md:justify-self-start" onClick={() => void use(loser)}>
                Use this version
              </Button>
            </div>
          )}
        </div>
      ))}
    </section>
  );
}
