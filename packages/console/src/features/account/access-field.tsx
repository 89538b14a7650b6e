import { useId } from 'react';
import type { EndedAccess } from '../../cloud/identity/session-port.ts';

const CHOICES: readonly { readonly access: EndedAccess; readonly title: string; readonly text: string }[] = [
  { access: 'keep', title: 'Keep programs and API tokens', text: 'Only browsers are signed out.' },
  {
    access: 'devices',
    title: 'Sign out programs',
    text: 'Programs and devices that signed in with a code have to sign in again.',
  },
  {
    access: 'all',
    title: 'Sign out programs and revoke API tokens',
    text: 'Also revokes your API tokens in all tenants. Programs that use the tokens stop working.',
  },
];

/** Name of the form field for the access to revoke along with the sessions. */
const ACCESS_FIELD = 'access';

export const accessIn = (form: FormData): EndedAccess =>
  CHOICES.find(({ access }) => access === form.get(ACCESS_FIELD))?.access ?? 'keep';

/**
 * Renders the choice of access to revoke along with the sessions. @param preset the server's
 * default
 */
export function AccessField({ preset = 'keep' }: { preset?: EndedAccess | undefined }) {
  const id = useId();
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 text-sm font-medium">Programs and API tokens</legend>
      {CHOICES.map(({ access, title, text }) => (
        <label key={access} className="flex cursor-pointer items-start gap-3 text-sm">
          <input
            type="radio"
            name={ACCESS_FIELD}
            value={access}
            defaultChecked={access === preset}
            aria-labelledby={`${id}-${access}`}
            aria-describedby={`${id}-${access}-text`}
            className="mt-0.5 size-4 shrink-0 accent-accent"
          />
          <span className="min-w-0">
            <span id={`${id}-${access}`} className="block font-medium text-ink">
              {title}
            </span>
            <span id={`${id}-${access}-text`} className="block text-xs text-ink-3">
              {text}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/**
 * The part of the success message that says which access was revoked in addition to the sessions.
 */
export const ENDED_TEXTS: Readonly<Record<EndedAccess, string>> = {
  keep: '',
  devices: ' Programs have to sign in again.',
  all: ' Programs have to sign in again, and your API tokens are revoked.',
};
