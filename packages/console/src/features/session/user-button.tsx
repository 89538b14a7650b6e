import { LIMITS } from '@fixpoint/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { type ButtonHTMLAttributes, useEffect, useState } from 'react';
import { useLocation } from 'react-router';
import type { SessionUser } from '../../cloud/identity/session-port.ts';
import { restoreLastKnown } from '../../cloud/queries/last-known.ts';
import { useSession } from '../../cloud/queries/use-cloud.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { lazyComponent } from '../../ui/pages/lazy-component.tsx';
import { isMounted } from '../../ui/pages/mounted.ts';
import { truncate } from '../../values/truncate.ts';

// Disabled until the menu loads, since an earlier click would be lost.
const UserMenu = lazyComponent(
  async () => (await import('./user-menu.tsx')).UserMenu,
  ({ user }) => <UserTrigger user={user} disabled />,
);

/**
 * Shows the user's name and account menu; for signed-out users a sign-in link with a placeholder
 * avatar.
 */
export function UserButton() {
  const user = useKnownUser();
  const { pathname, search } = useLocation();
  if (user === undefined) return <Unknown />;
  if (user === null && isMounted()) return null;
  if (user === null)
    return (
      <LinkButton to={`/login?redirect_url=${encodeURIComponent(pathname + search)}`}>
        <span className="tiny:hidden">
          <Avatar name={undefined} />
        </span>{' '}
        Sign in
      </LinkButton>
    );
  return <UserMenu user={user} trigger={<UserTrigger user={user} />} />;
}

/**
 * Returns the signed-in user; while the server is unreachable, the last known one. Undefined until
 * either is known.
 */
function useKnownUser(): SessionUser | null | undefined {
  const { data: user, failureCount, fetchStatus } = useSession();
  const [before, setBefore] = useState<SessionUser | null>();
  const queries = useQueryClient();
  const isUnheard = user === undefined && (failureCount > 0 || fetchStatus === 'paused');
  useEffect(() => {
    if (isUnheard) setBefore(restoreLastKnown(queries) ?? null);
  }, [isUnheard, queries]);
  return user === undefined ? before : user;
}

/** Reserves the space until it is known whether the user is signed in. */
function Unknown() {
  return (
    <span aria-hidden className="flex h-(--control) w-24 animate-pulse items-center gap-2 px-1.5 max-sm:w-10">
      <span className="size-6 shrink-0 rounded-full bg-pressed" />
      <span className="h-2.5 grow rounded bg-pressed max-sm:hidden" />
    </span>
  );
}

function UserTrigger({
  user: { name, email },
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { user: SessionUser }) {
  const shown = truncate(name, LIMITS.headerNameCharsMax);
  return (
    <button
      type="button"
      title={`${name} (${email})`}
      className="flex h-(--control) cursor-pointer items-center gap-2 rounded-md px-1 text-sm transition-colors hover:bg-pressed data-popup-open:bg-pressed max-sm:px-2"
      {...rest}
    >
      <Avatar name={name} />
      <span className="sr-only">{shown === name ? 'Account of' : `Account of ${name},`}</span>
      <span className="max-sm:sr-only">{shown}</span>
      <ChevronDown size={14} aria-hidden className="text-ink-3 max-sm:hidden" />
    </button>
  );
}
