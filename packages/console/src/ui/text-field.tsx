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
  /** What is wrong with the value. */
  readonly error?: string | undefined;
  /** Whether a value that may not be sent is only marked, without words. */
  readonly isQuiet?: boolean;
  readonly hint?: ReactNode;
}

/**
 * A field of a form. What the form may not be sent with is said below it, instead of by a bubble of the browser that goes by itself; the first wrong field of a form
 * has the focus then.
 */
export function TextField({ label, error, isQuiet = false, hint, ...rest }: TextFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [refused, setRefused] = useState<string>();
  const { state } = useNavigation();
  const wrong = refused ?? error;
  const text = isQuiet && refused !== undefined ? undefined : wrong;
  // What an action found to be wrong comes when it is done.
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
        className="h-9 w-full rounded-md border border-field bg-surface px-3 text-base -outline-offset-1 transition-colors placeholder:text-muted hover:border-text aria-invalid:border-danger max-sm:text-[1rem]"
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
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {text !== undefined && (
        <p id={`${id}-error`} role="alert" className="text-sm text-danger">
          {text}
        </p>
      )}
    </div>
  );
}

/** Moves the focus to a field, if it is the first of its form that a selector finds. */
function focusFirst(field: HTMLInputElement | null, selector: string): void {
  if (field !== null && field.form?.querySelector(selector) === field) field.focus();
}

/** Why the browser does not send the form with this value. */
function whyRefused(label: string, { validity, minLength }: HTMLInputElement): string {
  if (validity.valueMissing) return `${label} is required`;
  if (validity.typeMismatch) return 'Type a whole email address, such as name@example.com.';
  return `${label} must be at least ${minLength} characters`;
}
