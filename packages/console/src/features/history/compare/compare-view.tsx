import type { BridgedDatabase } from 'fixpoint/bridge';
import { GitCompareArrows } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { localPages } from '../../../local/database-pages.ts';
import { openLocal } from '../../../local/databases.ts';
import { type ListedDatabase, useLocalDatabases } from '../../../local/use-local-databases.ts';
import { Button, LinkButton } from '../../../ui/button.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { EmptyState, ErrorPanel, Skeleton } from '../../../ui/pages/feedback.tsx';
import { Card } from '../../../ui/pages/page.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { documentsText } from '../../../undo/undo-stack.ts';
import { ChangeList } from './change-list.tsx';
import { type Comparison, compareDatabases, SHOWN_MAX } from './compare-databases.ts';

/** Address parameter: the local database to compare with. */
const WITH = 'with';

export interface CompareViewProps {
  readonly database: BridgedDatabase;
  /** The display name. */
  readonly name: string;
  /** The link to a document is this path plus the encoded id. */
  readonly docsPath: string;
}

/** Compares a database with another one of this browser. */
export function CompareView({ database, name, docsPath }: CompareViewProps) {
  const databases = useLocalDatabases();
  const [parameters, setParameters] = useSearchParams();
  if (databases === undefined) return <Skeleton />;
  const others = databases.filter((one) => one.name !== database.name);
  if (others.length === 0)
    return (
      <EmptyState
        icon={<GitCompareArrows size={24} />}
        text="This browser has no other local database to compare with."
      >
        <LinkButton to="/fp/databases/new">New database</LinkButton>
      </EmptyState>
    );
  const other = others.find((one) => one.name === parameters.get(WITH)) ?? (others[0] as ListedDatabase);
  const choose = (next: string) =>
    setParameters((now) => new URLSearchParams({ view: now.get('view') ?? '', [WITH]: next }), {
      replace: true,
    });
  return (
    <Card
      title="Compare with another database"
      lead="Reads all documents of both databases. Comparing doesn’t change or send anything."
    >
      <ComparePair {...{ database, name, docsPath, others }} other={other.name} onChoose={choose} />
    </Card>
  );
}

interface ComparePairProps extends CompareViewProps {
  readonly other: string;
  readonly others: readonly ListedDatabase[];
  readonly onChoose: (name: string) => void;
}

/** State of the comparison with the database `other`. */
type Run =
  | { readonly state: 'none' }
  | { readonly state: 'running'; readonly other: string; readonly read: number }
  | { readonly state: 'done'; readonly other: string; readonly found: Comparison }
  | { readonly state: 'failed'; readonly other: string; readonly error: unknown };

const NONE: Run = { state: 'none' };

function ComparePair({ database, name, docsPath, other, others, onChoose }: ComparePairProps) {
  const [last, setRun] = useState(NONE);
  const run = last.state !== 'none' && last.other === other ? last : NONE;
  const ending = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => ending.current?.abort(), []);
  const compare = async () => {
    const controller = new AbortController();
    ending.current = controller;
    const { signal } = controller;
    setRun({ state: 'running', other, read: 0 });
    try {
      const found = await compareDatabases(database, openLocal(other), {
        signal,
        onProgress: (read) => !signal.aborted && setRun({ state: 'running', other, read }),
      });
      if (!signal.aborted) setRun({ state: 'done', other, found });
    } catch (error) {
      setRun(signal.aborted ? NONE : { state: 'failed', other, error });
    }
  };
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <Select
          label="The other database"
          className="w-64 max-w-full"
          value={other}
          onChange={(event) => {
            ending.current?.abort();
            onChoose(event.target.value);
          }}
        >
          {others.map((one) => (
            <option key={one.name}>{one.name}</option>
          ))}
        </Select>
        <Button tone="primary" disabled={run.state === 'running'} onClick={() => void compare()}>
          <GitCompareArrows size={14} aria-hidden /> Compare
        </Button>
      </div>
      {run.state === 'running' && (
        <Progress label="Comparing" done={run.read} onCancel={() => ending.current?.abort()} />
      )}
      {run.state === 'failed' && <ErrorPanel message={failureText(run.error)} />}
      {run.state === 'done' && <Found found={run.found} {...{ name, docsPath, other }} />}
    </div>
  );
}

interface FoundProps extends Pick<CompareViewProps, 'name' | 'docsPath'> {
  readonly found: Comparison;
  readonly other: string;
}

function Found({ found, name, docsPath, other }: FoundProps) {
  const { changes, differing } = found;
  const words = { deleted: `only in ${name}`, created: `only in ${other}`, changed: 'differs' };
  return (
    <section aria-label="Comparison" className="flex flex-col gap-3">
      <p role="status" className="text-sm text-ink-3">
        {countsText(found, name, other)}
        {differing > SHOWN_MAX && ` The first ${SHOWN_MAX.toLocaleString('en')} differences are shown.`}
      </p>
      <ChangeList
        {...{ changes, words }}
        beforeLabel={name}
        afterLabel={other}
        docsPaths={{ before: docsPath, after: localPages(`/fp/databases/${encodeURIComponent(other)}`).docs }}
      />
    </section>
  );
}

function countsText(found: Comparison, name: string, other: string): string {
  const { differing, onlyBefore, onlyAfter, same } = found;
  const only = onlyAfter === 0 ? onlyBefore : onlyAfter;
  if (same === 0 && differing > 0 && differing === only) {
    const [full, empty] = onlyAfter === 0 ? [name, other] : [other, name];
    return `${empty} is empty. ${full} has ${documentsText(only)}.`;
  }
  const differ = differing === 1 ? 'differs' : 'differ';
  const others = differing === 0 ? 'No documents differ' : `${documentsText(differing)} ${differ}`;
  return `${others}, ${documentsText(same)} ${same === 1 ? 'is' : 'are'} the same.`;
}
