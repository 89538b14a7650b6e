import type { BridgedDatabase } from 'fixpoint/bridge';
import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/forms/form.tsx';
import { Segments } from '../../ui/forms/segments.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { allIds, FORMATS, type Format } from './formats.ts';
import { useExport } from './use-export.tsx';

export interface ExportCardProps {
  readonly database: BridgedDatabase;
  readonly lead?: string | undefined;
}

const NOTES: Readonly<Record<Format, string>> = {
  json: 'One list of all documents.',
  ndjson: 'One document per line, for large databases and other programs.',
  csv: 'One column per field, for spreadsheets.',
};

/** Exports all documents of a database. */
export function ExportCard({ database, lead }: ExportCardProps) {
  const exporting = useExport(database);
  const count = useCount(database);
  const [format, setFormat] = useState<Format>('json');
  return (
    <Card title="Export" lead={lead}>
      <div className="flex flex-col gap-2.5">
        <Segments
          label="Format"
          segments={FORMATS.map((name) => ({ name, label: name.toUpperCase() }))}
          chosen={format}
          onChoose={setFormat}
          isWide
        />
        <p className="text-xs text-ink-3">{NOTES[format]} Attached files aren’t included.</p>
        {format === 'csv' && (
          <Checkbox
            label="Safe for spreadsheets"
            checked={exporting.isSafe}
            title="Adds an apostrophe to CSV cells that a spreadsheet would run as a formula"
            onChange={({ target }) => exporting.setSafe(target.checked)}
          />
        )}
        <Button onClick={() => exporting.start(format, allIds)}>
          <Download size={14} aria-hidden /> Export{' '}
          {count === undefined
            ? 'all documents'
            : `${count.toLocaleString('en')} ${count === 1 ? 'document' : 'documents'}`}
        </Button>
      </div>
      {exporting.dialog}
    </Card>
  );
}

/** Returns the number of documents, live; undefined until it is known. */
function useCount(database: BridgedDatabase): number | undefined {
  const [count, setCount] = useState<number>();
  useEffect(() => {
    let ending: AbortController | undefined;
    const read = () => {
      ending?.abort();
      ending = new AbortController();
      const { signal } = ending;
      database.rows.count({ signal }).then(
        (found) => signal.aborted || setCount(found),
        () => undefined,
      );
    };
    read();
    const stop = database.subscribe(read);
    return () => {
      stop();
      ending?.abort();
    };
  }, [database]);
  return count;
}
