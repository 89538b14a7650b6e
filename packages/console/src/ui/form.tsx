import { type InputHTMLAttributes, type ReactNode, useId } from 'react';
import { useNavigate, useNavigation } from 'react-router';
import { Button } from './button.tsx';

/** A text field of a form, trimmed. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

export function TextField({
  label,
  error,
  hint,
  ...rest
}: InputHTMLAttributes<HTMLInputElement> & { label: string; error?: string | undefined; hint?: string }) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <input
        id={id}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        className="h-10 rounded-md border border-line bg-surface px-3 text-base sm:text-sm aria-invalid:border-danger"
        {...rest}
      />
      {hint !== undefined && <p className="text-xs text-muted">{hint}</p>}
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </div>
  );
}

export function Checkbox({ label, name }: { label: string; name: string }) {
  return (
    <label className="flex items-start gap-2 text-sm text-muted">
      <input type="checkbox" name={name} className="mt-0.5 size-4 accent-accent" />
      {label}
    </label>
  );
}

export function SubmitButton({ children }: { children: ReactNode }) {
  const busy = useNavigation().state !== 'idle';
  return (
    <Button type="submit" tone="primary" disabled={busy}>
      {children}
    </Button>
  );
}

export function CancelButton() {
  const navigate = useNavigate();
  return <Button onClick={() => void navigate(-1)}>Cancel</Button>;
}
