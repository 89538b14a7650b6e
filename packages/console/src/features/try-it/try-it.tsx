import { ArrowRight, Zap } from 'lucide-react';
import { Link } from 'react-router';
import { useVisit } from '../../leaving/visit.ts';
import { databasePath } from '../../local/database-path.ts';
import { useTask } from '../../ui/overlays/use-task.ts';

/** Opens a local database of sample data, for users without an account. */
export function TryIt() {
  const { isBusy, run } = useTask();
  const begin = useVisit();
  const open = () => {
    const visit = begin();
    return run('Couldn’t create the sample database', async () => {
      const { createSample } = await import('./sample-database.ts');
      await visit.leadTo(databasePath(await createSample()));
    });
  };
  return (
    <div>
      <p
        aria-hidden
        className="mb-3.5 flex items-center gap-3 text-xs text-ink-3 before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line"
      >
        or
      </p>
      <button
        type="button"
        disabled={isBusy}
        className="flex w-full cursor-pointer items-center gap-3 rounded-[0.625rem] border border-accent-line bg-linear-to-b from-surface to-accent-soft py-3 pr-3.5 pl-3 text-left transition-shadow hover:shadow-3 disabled:cursor-progress"
        onClick={() => void open()}
      >
        <span className="grid size-9 shrink-0 place-items-center rounded-lg bg-accent text-on-accent">
          <Zap size={16} aria-hidden />
        </span>
        <span className="min-w-0 flex-1">
          <span className="block text-base font-semibold tracking-tight">Try it now, without an account</span>
          <span className="block text-ink-2">
            120 languages in a local database. Nothing leaves this browser.
          </span>
        </span>
        <ArrowRight size={16} aria-hidden className="shrink-0 text-accent-ink" />
      </button>
      <p className="mt-3 text-xs text-ink-3">
        You can also{' '}
        <Link to="/fp/databases" className="rounded font-medium text-accent-ink hover:underline">
          work with local databases
        </Link>{' '}
        that are already in this browser.
      </p>
    </div>
  );
}
