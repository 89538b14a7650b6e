import { type ReactNode, type TextareaHTMLAttributes, useEffect, useId, useRef } from 'react';

export interface LinesFieldProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  readonly label: string;
  /** The problem with the value. The field gets the focus. */
  readonly error?: string | undefined;
  readonly hint?: ReactNode;
}

/** Renders a field that takes a list, one item per line. */
export function LinesField({ label, error, hint, ...rest }: LinesFieldProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (error !== undefined) area.current?.focus();
  }, [error]);
  const described = [error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`].filter(
    Boolean,
  );
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <textarea
        ref={area}
        id={id}
        rows={2}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        aria-invalid={error !== undefined}
        aria-describedby={described.length === 0 ? undefined : described.join(' ')}
        className="field-sizing-content max-h-40 min-h-14 w-full resize-y rounded-md border border-control-line bg-surface px-2.5 py-2 font-mono text-xs leading-5 -outline-offset-1 transition-colors placeholder:text-ink-3 hover:border-ink aria-invalid:border-conflict max-sm:text-[1rem]"
        {...rest}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-xs text-ink-3">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="text-sm text-conflict">
          {error}
        </p>
      )}
    </div>
  );
}
