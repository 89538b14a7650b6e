import { CircleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Place } from '../editor/syntax-place.ts';

export interface MapProblemProps {
  readonly message: string;
  /** The map function that ran. */
  readonly source: string;
}

/** Shows why a map function failed, and where. */
export function MapProblem({ message, source }: MapProblemProps) {
  const place = usePlace(source, message);
  const line = place === undefined ? undefined : source.split('\n')[place.line - 1];
  return (
    <div
      role="alert"
      className="flex gap-2.5 rounded-lg border border-danger-line bg-danger-soft px-3 py-2.5 text-sm"
    >
      <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-danger" />
      <div className="min-w-0">
        <strong className="font-semibold text-danger">Error:</strong>{' '}
        <span className="break-words whitespace-pre-wrap">{message}</span>
        {place !== undefined && line !== undefined && (
          <>
            <Line {...place} text={line} />
            <p className="mt-1 text-ink-2">
              Line {place.line}, column {place.column}
            </p>
          </>
        )}
      </div>
    </div>
  );
}

/** Characters to show before and after the place of the error. */
const AROUND = 60;

function Line({ line, column, text }: Place & { text: string }) {
  const at = Math.min(Math.max(0, column - 1), text.length);
  const before = text.slice(Math.max(0, at - AROUND), at);
  const rest = text.slice(at, at + AROUND);
  const word = /^[\p{L}\p{N}_$]+|^\S/u.exec(rest)?.[0] ?? '';
  return (
    <pre className="mt-1.5 overflow-x-auto font-mono text-xs">
      <span aria-hidden className="text-ink-3 select-none">
        {line} |{' '}
      </span>
      {at > AROUND && '…'}
      {before}
      <span className="underline decoration-danger decoration-wavy underline-offset-2">{word}</span>
      {rest.slice(word.length)}
    </pre>
  );
}

/** Returns the place of the error. The parser is part of the editor, so it is loaded already. */
function usePlace(source: string, message: string): Place | undefined {
  const [place, setPlace] = useState<Place | undefined>();
  useEffect(() => {
    let isOver = false;
    setPlace(undefined);
    import('../editor/syntax-place.ts').then(
      ({ placeOfProblem }) => !isOver && setPlace(placeOfProblem(source, message)),
      // The message is enough without a place.
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [source, message]);
  return place;
}
