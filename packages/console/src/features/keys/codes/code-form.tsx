import { isFixpointError } from '@fixpoint/protocol';
import { useState } from 'react';
import { Button, type Tone } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/forms/form.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';

export interface CodeFormProps {
  readonly label: string;
  readonly action: string;
  readonly tone?: Tone;
  /** If this call rejects, the form shows the error and keeps the code. */
  readonly onCode: (code: string) => Promise<void>;
  /** Whether everything else that belongs to the form is filled in. Default true. */
  readonly isReady?: boolean;
  /** Returns a text for an error; undefined for the usual text. */
  readonly explain?: (error: unknown) => string | undefined;
}

/** Returns an error text for a user who compares codes on two screens. */
function codeFailureText(error: unknown): string {
  if (isFixpointError(error, 'REQUEST_INVALID'))
    return 'This code isn’t valid: a character is wrong or missing. Compare it with the original.';
  if (isFixpointError(error, 'NOT_FOUND'))
    return 'No device with this code is waiting for approval. Open the database on that device, then enter the code that it shows.';
  if (isFixpointError(error, 'KEY_UNKNOWN'))
    return 'This recovery code doesn’t open this database. Check that it’s the right one.';
  return failureText(error);
}

/** Renders a form for a device code or a recovery code. */
export function CodeForm({ label, action, tone, onCode, isReady = true, explain }: CodeFormProps) {
  const [code, setCode] = useState('');
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await onCode(code.trim());
      setCode((now) => (now === code ? '' : now));
    } catch (error) {
      setFailure(explain?.(error) ?? codeFailureText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) void send();
      }}
    >
      <div className="min-w-0 grow">
        <TextField
          label={label}
          autoComplete="off"
          spellCheck={false}
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      </div>
      <Button type="submit" {...(tone && { tone })} disabled={isBusy || !isReady || code.trim() === ''}>
        {action}
      </Button>
      {failure !== undefined && (
        <p role="alert" className="w-full text-sm text-conflict">
          {failure}
        </p>
      )}
    </form>
  );
}
