import { CircleUserRound, Menu, X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { queryClient } from '../../cloud/queries.ts';
import { type SessionUser, sessionUser, signOut } from '../../cloud/session.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ThemeToggle } from '../../ui/theme-toggle.tsx';
import { useToast } from '../../ui/toaster.tsx';
import { truncate } from '../../ui/truncate.ts';

const LINKS = [
  { text: 'Docs', href: 'https://fixpoint.example/docs' },
  { text: 'Blog', href: 'https://fixpoint.example/blog' },
  { text: 'Community', href: 'https://fixpoint.example/community' },
];
const HEADER_NAME_CHARS_MAX = 12;

/** Header, sidebar (a drawer on small screens) and the page. */
export function AppLayout({ sidebar, children }: { sidebar: ReactNode; children: ReactNode }) {
  const [drawer, setDrawer] = useState(false);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes whenever the page changes
  useEffect(() => setDrawer(false), [pathname]);
  return (
    <div className="flex min-h-full flex-col">
      <a href="#page" className="sr-only focus:not-sr-only focus:p-2">
        Skip to content
      </a>
      <header className="sticky top-0 z-30 flex h-14 items-center gap-2 border-b border-line bg-surface px-3 sm:px-5">
        <button
          type="button"
          aria-label={drawer ? 'Close menu' : 'Open menu'}
          aria-expanded={drawer}
          className="grid size-9 cursor-pointer place-items-center rounded-md hover:bg-raised md:hidden"
          onClick={() => setDrawer(!drawer)}
        >
          {drawer ? <X size={20} aria-hidden /> : <Menu size={20} aria-hidden />}
        </button>
        <Link to="/fp/cloud" className="flex items-center gap-2 font-semibold tracking-tight">
          <img src="/favicon.svg" alt="" className="size-6" />
          Fixpoint
        </Link>
        <nav aria-label="Areas" className="ml-2 hidden gap-1 sm:flex">
          <AreaLink to="/fp/cloud" text="Cloud" />
          <AreaLink to="/fp/databases" text="Local" />
        </nav>
        <nav aria-label="Help" className="ml-auto hidden gap-4 text-sm text-muted lg:flex">
          {LINKS.map(({ text, href }) => (
            <a key={href} href={href} rel="noreferrer" className="hover:text-text">
              {text}
            </a>
          ))}
        </nav>
        <div className="ml-auto flex items-center gap-1 lg:ml-3">
          <ThemeToggle />
          <UserButton />
        </div>
      </header>
      <div className="flex flex-1">
        <aside
          className={`${drawer ? 'fixed inset-x-0 top-14 bottom-0 z-20 block' : 'hidden'} w-full overflow-y-auto border-r border-line bg-surface p-3 md:sticky md:top-14 md:block md:h-[calc(100vh-3.5rem)] md:w-64 md:shrink-0`}
        >
          <div className="mb-3 flex gap-1 sm:hidden">
            <AreaLink to="/fp/cloud" text="Cloud" />
            <AreaLink to="/fp/databases" text="Local" />
          </div>
          {sidebar}
        </aside>
        <main id="page" className="min-w-0 flex-1 p-4 sm:p-8">
          {children}
        </main>
      </div>
    </div>
  );
}

function AreaLink({ to, text }: { to: string; text: string }) {
  const active = useLocation().pathname.startsWith(to);
  return (
    <Link
      to={to}
      aria-current={active ? 'true' : undefined}
      className={`rounded-md px-3 py-1.5 text-sm ${active ? 'bg-raised font-medium' : 'text-muted hover:text-text'}`}
    >
      {text}
    </Link>
  );
}

/** The user's name and a way out; for a stranger a way in, with a placeholder avatar. */
function UserButton() {
  const [user, setUser] = useState<SessionUser | undefined>();
  const navigate = useNavigate();
  const toast = useToast();
  useEffect(() => {
    let current = true;
    void sessionUser().then((found) => current && setUser(found));
    return () => {
      current = false;
    };
  }, []);
  if (user === undefined)
    return (
      <LinkButton to="/login">
        <CircleUserRound size={18} aria-hidden /> Sign in
      </LinkButton>
    );
  const leave = async () => {
    const problem = await signOut();
    if (problem !== undefined) return toast(problem, { tone: 'error' });
    queryClient.clear();
    await navigate('/login');
  };
  return (
    <div className="flex items-center gap-2">
      <span title={`${user.name} (${user.email})`} className="hidden items-center gap-1 text-sm sm:flex">
        <CircleUserRound size={18} aria-hidden /> {truncate(user.name, HEADER_NAME_CHARS_MAX)}
      </span>
      <Button onClick={() => void leave()}>Sign out</Button>
    </div>
  );
}
