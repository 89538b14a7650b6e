import { TriangleAlert } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Keys } from '../../../ui/text/kbd.tsx';
import type { EditorRequest } from '../../editor/code-editor.tsx';
import { jsonProblem } from '../../editor/json-problem.ts';

export interface JsonProblemBarProps {
  /** Text that isn't valid JSON. */
  readonly text: string;
  /** Moves the caret in the editor, or changes its text. */
  readonly onRequest: (request: EditorRequest) => void;
}

/** Says why the text can't be saved yet, and offers the change that likely corrects it. */
export function JsonProblemBar({ text, onRequest }: JsonProblemBarProps) {
  const problem = useMemo(() => jsonProblem(text), [text]);
  const go = () => problem !== undefined && onRequest({ at: problem.at, of: text });
  useErrorKey(go);
  if (problem === undefined) return null;
  const { line, column, at, message, fix } = problem;
  return (
    <section
      aria-label="Problem in the JSON"
      className="flex min-h-10 flex-wrap items-center gap-x-2.5 gap-y-1 rounded-lg border border-conflict-line bg-conflict-soft py-1.5 pr-2 pl-3 text-sm"
    >
      <TriangleAlert size={16} aria-hidden className="shrink-0 text-conflict" />
      <p className="mr-auto min-w-0 max-sm:flex-1">
        <b className="font-semibold">Can’t save yet:</b>{' '}
        <span className="tabular-nums">
          line {line.toLocaleString('en')}, column {column.toLocaleString('en')}.
        </span>{' '}
        {message}
      </p>
      <Button tone="quiet" aria-keyshortcuts="F8" onClick={go}>
        Go there{' '}
        <span className="max-sm:hidden">
          <Keys strokes={[['F8']]} />
        </span>
      </Button>
      {fix !== undefined && (
        <Button tone="decide" className="max-w-60" onClick={() => onRequest({ at, change: fix, of: text })}>
          <span className="truncate">{fix.label}</span>
        </Button>
      )}
    </section>
  );
}

/** Handles F8 outside of the editor, which has its own F8. */
function useErrorKey(go: () => void): void {
  const latest = useRef(go);
  latest.current = go;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, defaultPrevented, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (key !== 'F8' || defaultPrevented || ctrlKey || metaKey || altKey || shiftKey) return;
      event.preventDefault();
      latest.current();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
