import { type FormEvent, type InputHTMLAttributes, type ReactNode, useRef } from 'react';
import { type FormProps, Form as RouterForm, useNavigate, useNavigation, useSubmit } from 'react-router';
import { Button, type Tone } from '../button.tsx';
import { ErrorPanel } from '../pages/feedback.tsx';
import { isFirstPage } from '../pages/first-page.ts';
import { Card, PageHeader } from '../pages/page.tsx';

export { TextField } from './text-field.tsx';

/**
 * Renders a form of the router that has only one pending submission. Users may press Enter again
 * before the button renders as disabled, which would, for example, create a second tenant.
 */
export function Form(props: Omit<FormProps, 'onSubmit'>) {
  const submit = useSubmit();
  const isSending = useRef(false);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isSending.current) return;
    isSending.current = true;
    try {
      const { submitter } = event.nativeEvent as SubmitEvent;
      await submit((submitter as HTMLButtonElement | null) ?? event.currentTarget);
    } finally {
      isSending.current = false;
    }
  };
  return <RouterForm {...props} onSubmit={(event) => void send(event)} />;
}

/** Returns a text field of a form, trimmed. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

export function Checkbox({ label, ...rest }: InputHTMLAttributes<HTMLInputElement> & { label: string }) {
  return (
    <label className="flex cursor-pointer items-start gap-2 text-sm text-ink-3">
      <input type="checkbox" className="mt-0.5 size-4 shrink-0 accent-accent" {...rest} />
      {label}
    </label>
  );
}

/** Renders a button that submits the form, and that is disabled while a submission is pending. */
export function SubmitButton({
  children,
  wide = false,
  tone = 'primary',
  ...field
}: {
  children: ReactNode;
  wide?: boolean;
  tone?: Tone;
  /** The form value that this button submits. */
  name?: string;
  value?: string;
}) {
  const busy = useNavigation().state !== 'idle';
  return (
    <Button type="submit" tone={tone} disabled={busy} className={wide ? 'w-full' : ''} {...field}>
      {children}
    </Button>
  );
}

/** Goes back to the previous page, or to `home` if this page was the first. */
export function CancelButton({ home = '/' }: { home?: string }) {
  const navigate = useNavigate();
  const cancel = () => (isFirstPage() ? navigate(home) : navigate(-1));
  return <Button onClick={() => void cancel()}>Cancel</Button>;
}

export interface FormPageProps {
  readonly title: string;
  readonly lead?: ReactNode;
  /** The server's rejection, if it doesn't belong to a single field. */
  readonly error?: string | undefined;
  readonly children: ReactNode;
}

/** Renders a page that is one form. Its route's action handles the submission. */
export function FormPage({ title, lead, error, children }: FormPageProps) {
  return (
    <div className="w-full max-w-lg">
      <PageHeader title={title} lead={lead} />
      <Card>
        <Form method="post" noValidate className="flex flex-col gap-5">
          {error !== undefined && <ErrorPanel message={error} />}
          {children}
        </Form>
      </Card>
    </div>
  );
}

export function FormActions({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap items-center gap-2">{children}</div>;
}
