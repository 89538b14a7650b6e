import { Button } from './button.tsx';

export interface ProgressProps {
  readonly label: string;
  readonly done: number;
  /** The total; undefined when it is not known. */
  readonly of?: number | undefined;
  /** The counted things, such as "documents". */
  readonly noun?: string;
  /** How fast the task is, or what it is doing. Screen readers don't announce it. */
  readonly note?: string;
  readonly onCancel?: (() => void) | undefined;
}

/** Shows the progress of a long task, and a button to cancel it. */
export function Progress({ label, done, of, noun = 'documents', note = '', onCancel }: ProgressProps) {
  const counted = (of ?? done) === 1 ? noun.replace(/s$/, '') : noun;
  const text = `${done.toLocaleString('en')}${of === undefined ? '' : ` of ${of.toLocaleString('en')}`} ${counted}`;
  return (
    <div className="flex w-full max-w-lg flex-wrap items-center gap-3 rounded-lg border border-line bg-surface px-4 py-3 text-sm shadow-1">
      <div className="min-w-0 grow">
        <p role="status" className="mb-1.5">
          {label} <span className="text-ink-3 tabular-nums">{text}</span>
        </p>
        <progress
          aria-label={label}
          className="block h-1.5 w-full appearance-none overflow-hidden rounded-full bg-hover [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-hover [&::-webkit-progress-value]:bg-accent"
          {...(of !== undefined && { value: Math.min(done, of), max: Math.max(1, of) })}
        />
        {note !== '' && <p className="mt-1.5 text-ink-3 tabular-nums">{note}</p>}
      </div>
      {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
    </div>
  );
}
