import {
  type FormEvent,
  type InputHTMLAttributes,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { useNavigation } from 'react-router';

export interface TextFieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string;
  /** The problem with the value. */
  readonly error?: string | undefined;
  /** Whether an invalid value is only marked, without an error text. */
  readonly isQuiet?: boolean;
  readonly hint?: ReactNode;
}

/**
 * Renders a field of a form. Shows a validation error below the field, because the browser's own
 * bubble disappears by itself. The form's first invalid field gets the focus.
 */
export function TextField({ label, error, isQuiet = false, hint, ...rest }: TextFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [refused, setRefused] = useState<string>();
  const { state } = useNavigation();
  const wrong = refused ?? error;
  const text = isQuiet && refused !== undefined ? undefined : wrong;
  // An action's error arrives when the submission is done.
  useEffect(() => {
    if (error === undefined || state !== 'idle') return;
    setRefused(undefined);
    focusFirst(input.current, '[aria-invalid="true"]');
  }, [error, state]);
  const described = [text !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`].filter(Boolean);
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <input
        ref={input}
        id={id}
        aria-invalid={wrong !== undefined}
        aria-describedby={described.length === 0 ? undefined : described.join(' ')}
        className="h-(--control) w-full rounded-md border border-control-line bg-surface px-2.5 text-sm -outline-offset-1 transition-colors placeholder:text-ink-3 hover:border-ink aria-invalid:border-conflict max-sm:text-[1rem]"
        onInvalid={(event: FormEvent<HTMLInputElement>) => {
          event.preventDefault();
          setRefused(whyRefused(label, event.currentTarget));
          focusFirst(event.currentTarget, 'input:invalid');
        }}
        onInput={({ currentTarget }) => {
          if (refused !== undefined && currentTarget.validity.valid) setRefused(undefined);
        }}
        {...rest}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-xs text-ink-3">
          {hint}
        </p>
      )}
      {text !== undefined && (
        <p id={`${id}-error`} role="alert" className="text-sm text-conflict">
          {text}
        </p>
      )}
    </div>
  );
}

/** Moves the focus to a field, if it is the first in its form that matches a selector. */
function focusFirst(field: HTMLInputElement | null, selector: string): void {
  if (field !== null && field.form?.querySelector(selector) === field) field.focus();
}

/** Returns why the browser rejects this value. */
function whyRefused(label: string, { validity, minLength }: HTMLInputElement): string {
  if (validity.valueMissing) return `${label} is required`;
  if (validity.typeMismatch) return 'Enter a complete email address, such as name@example.com.';
  return `${label} must be at least ${minLength} characters`;
}
