import type { Database, Verification } from 'fixpoint';
import { ShieldCheck } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ErrorPanel } from '../../../ui/pages/feedback.tsx';
import { Card } from '../../../ui/pages/page.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import { bytesText } from '../../../values/bytes-text.ts';
import type { People } from '../../../values/who-wrote.ts';
import { ConflictList } from './conflict-list.tsx';

type Check =
  | { readonly state: 'none' }
  | { readonly state: 'running'; readonly done: number; readonly of: number | undefined }
  | { readonly state: 'done'; readonly found: Verification }
  | { readonly state: 'failed'; readonly error: unknown };

interface CheckPanelProps {
  readonly database: Database;
  readonly docsPath: string;
  /** The people who have access to the ledger. */
  readonly people?: People | undefined;
}

/** Checks that the stored data is intact, and finds documents with conflicts. */
export function CheckPanel({ database, docsPath, people }: CheckPanelProps) {
  return (
    <div className="flex flex-col gap-5">
      <Verify database={database} />
      <ConflictList {...{ database, docsPath, people }} />
    </div>
  );
}

function Verify({ database }: { database: Database }) {
  const [check, setCheck] = useState<Check>({ state: 'none' });
  const ending = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => ending.current?.abort(), []);
  const run = async () => {
    const controller = new AbortController();
    ending.current = controller;
    const { signal } = controller;
    setCheck({ state: 'running', done: 0, of: undefined });
    try {
      const onProgress = (done: number, of: number) =>
        !signal.aborted && setCheck({ state: 'running', done, of });
      const found = await database.verify({ signal, onProgress });
      if (!signal.aborted) setCheck({ state: 'done', found });
    } catch (error) {
      setCheck(signal.aborted ? { state: 'none' } : { state: 'failed', error });
    }
  };
  return (
    <Card
      title="Integrity"
      lead="Reads all stored data of this database, and checks every hash and link."
      actions={
        <Button tone="primary" disabled={check.state === 'running'} onClick={() => void run()}>
          <ShieldCheck size={14} aria-hidden /> Verify
        </Button>
      }
    >
      {check.state === 'none' && <p className="text-sm text-ink-3">Not verified yet.</p>}
      {check.state === 'running' && (
        <Progress
          label="Verifying"
          done={check.done}
          of={check.of}
          noun="archives"
          onCancel={() => ending.current?.abort()}
        />
      )}
      {check.state === 'failed' && <ErrorPanel message={failureText(check.error)} />}
      {check.state === 'done' && <Found found={check.found} />}
    </Card>
  );
}

const NAMED_MAX = 3;
const DIGITS = 8;

/** Names commits by their last digits, as the list of commits does. */
function commitsText(commits: readonly string[]): string {
  const names = commits.slice(0, NAMED_MAX).map((commit) => commit.slice(-DIGITS));
  const more = commits.length - names.length;
  return `${commits.length === 1 ? 'commit' : 'commits'} ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function resultOf({ damaged, missing, badSignatures }: Verification) {
  if (damaged.length > 0 || missing.length > 0)
    return {
      tone: 'danger',
      name: 'Damaged',
      text: 'Some stored data is damaged or missing. Export the documents that can still be read. Other devices that sync with this database may still have the missing data.',
    } as const;
  if (badSignatures.length > 0)
    return {
      tone: 'danger',
      name: 'Changed',
      text: 'All data is complete, but some of it doesn’t match its signature.',
    } as const;
  return { tone: 'accent', name: 'Intact', text: 'All data is complete and matches its hashes.' } as const;
}

function Found({ found }: { found: Verification }) {
  const { damaged, missing, missingOfPast, badSignatures, backDated } = found;
  const result = resultOf(found);
  const counts: [string, string][] = [
    ['Documents', found.documents.toLocaleString('en')],
    ['Commits', found.events.toLocaleString('en')],
    ['Blocks', found.blocks.toLocaleString('en')],
    ['Archives', found.archives.toLocaleString('en')],
    ['Size', bytesText(found.bytes)],
    ['Files', found.files.toLocaleString('en')],
  ];
  return (
    <div role="status" className="flex flex-col gap-4 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={result.tone}>{result.name}</Badge>
        {result.text}
      </p>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-2 sm:grid-cols-3">
        {counts.map(([name, value]) => (
          <div key={name}>
            <dt className="text-xs text-ink-3">{name}</dt>
            <dd className="font-medium tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      {found.filesAbsent > 0 && (
        <p className="text-ink-3">
          {found.filesAbsent} attached {found.filesAbsent === 1 ? 'file is' : 'files are'} not on this device,
          and will be fetched when you open {found.filesAbsent === 1 ? 'it' : 'them'}.
        </p>
      )}
      {missingOfPast > 0 && (
        <p className="text-ink-3">
          Compaction removed{' '}
          {missingOfPast === 1 ? '1 block' : `${missingOfPast.toLocaleString('en')} blocks`} of earlier
          versions. The current version doesn’t need {missingOfPast === 1 ? 'it' : 'them'}.
        </p>
      )}
      {(badSignatures.length > 0 || backDated.length > 0) && (
        <div className="flex flex-col gap-1">
          {badSignatures.length > 0 && (
            <p>
              <strong>Somebody changed {commitsText(badSignatures)} after a device signed it.</strong> Its
              author and time may be wrong. Compare its documents with those of another device.
            </p>
          )}
          {backDated.length > 0 && (
            <p>
              The time of {commitsText(backDated)} is more than 10 minutes earlier than that of a commit
              before it. The clock of a device is wrong, or somebody entered a wrong time.
            </p>
          )}
        </div>
      )}
      {(damaged.length > 0 || missing.length > 0) && (
        <ul className="list-disc pl-5 font-mono text-xs break-all text-danger">
          {damaged.map(({ cid, why }) => (
            <li key={cid}>
              {cid}: {why}
            </li>
          ))}
          {missing.map((cid) => (
            <li key={cid}>{cid}: missing</li>
          ))}
        </ul>
      )}
    </div>
  );
}
