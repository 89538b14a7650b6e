import { useIsMutating } from '@tanstack/react-query';
import { Menu, WifiOff, X } from 'lucide-react';
import { type ReactNode, useSyncExternalStore } from 'react';
import { Link, useLocation, useNavigation } from 'react-router';
import { isMounted } from '../../ui/pages/mounted.ts';
import { Notice } from '../../ui/pages/notice.tsx';
import { siteLinks } from '../../ui/pages/site-links.ts';
import { Logo } from '../../ui/theme/logo.tsx';
import { ThemeToggle } from '../../ui/theme/theme-toggle.tsx';
import { PaletteButton } from '../commands/palette-button.tsx';
import { UserButton } from '../session/user-button.tsx';
import { useDrawer } from './use-drawer.ts';

export interface AppLayoutProps {
  readonly sidebar: ReactNode;
  /** Shown in the header after the product's name: the page's place in the product. */
  readonly place?: ReactNode;
  readonly children: ReactNode;
}

/** Renders header, sidebar (a drawer on small screens) and page. */
export function AppLayout({ sidebar, place, children }: AppLayoutProps) {
  const drawer = useDrawer();
  return (
    <div className="flex min-h-full flex-col">
      <a
        href="#page"
        className="sr-only rounded-md bg-accent text-on-accent forced-color-adjust-none focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:px-3 focus:py-2"
      >
        Skip to content
      </a>
      <Progress />
      <header className="sticky top-0 z-30 flex h-12 print:hidden items-center gap-1 border-b border-line bg-surface px-2 sm:gap-2 sm:px-4">
        <button
          ref={drawer.button}
          type="button"
          aria-label={drawer.open ? 'Close menu' : 'Open menu'}
          aria-expanded={drawer.open}
          aria-controls="sidebar"
          className="grid size-9 shrink-0 cursor-pointer place-items-center rounded-md text-muted hover:bg-raised hover:text-text md:hidden"
          onClick={drawer.toggle}
        >
          {drawer.open ? <X size={18} aria-hidden /> : <Menu size={18} aria-hidden />}
        </button>
        <Link to="/" className="flex h-8 shrink-0 items-center gap-2 rounded font-semibold tracking-tight">
          <Logo />
          <span className="max-[359px]:sr-only">Fixpoint</span>
        </Link>
        <div className="ml-3 hidden md:block">
          <Areas />
        </div>
        {place}
        <div className="ml-auto flex shrink-0 items-center gap-1">
          <nav aria-label="About Fixpoint" className="mr-2 hidden gap-1 lg:flex">
            <SiteLinks />
          </nav>
          <PaletteButton />
          <ThemeToggle />
          <UserButton />
        </div>
      </header>
      <div className="flex flex-1">
        {drawer.open && (
          // biome-ignore lint/a11y/noStaticElementInteractions: Escape and the button close it by keyboard
          // biome-ignore lint/a11y/useKeyWithClickEvents: Escape and the button close it by keyboard
          <div className="fixed inset-0 top-12 z-20 bg-scrim md:hidden" onClick={drawer.close} />
        )}
        <aside
          id="sidebar"
          ref={drawer.panel}
          tabIndex={-1}
          className={`${drawer.open ? 'fixed top-12 bottom-0 left-0 z-20 flex w-72 max-w-[85vw] animate-slide-in shadow-pop' : 'hidden'} flex-col gap-4 overflow-y-auto border-r print:hidden! border-line bg-surface p-3 outline-none md:sticky md:top-12 md:flex md:h-[calc(100dvh-3rem)] md:w-60 md:shrink-0 md:animate-none md:shadow-none`}
        >
          <div className="md:hidden">
            <Areas />
          </div>
          {sidebar}
          <nav
            aria-label="About Fixpoint"
            className="mt-auto flex flex-wrap gap-x-1 border-t border-line pt-2 lg:hidden"
          >
            <SiteLinks />
          </nav>
        </aside>
        <main
          id="page"
          tabIndex={-1}
          inert={drawer.open}
          className="min-w-0 flex-1 p-4 outline-none sm:p-6 lg:p-8 print:p-0"
        >
          <OfflineNote />
          {children}
        </main>
      </div>
    </div>
  );
}

/** Links the two areas of the product. */
function Areas() {
  const { pathname } = useLocation();
  if (isMounted()) return null;
  const areas = [
    { to: '/fp/cloud', text: 'Cloud' },
    { to: '/fp/databases', text: 'Local' },
  ];
  return (
    <nav aria-label="Areas" className="flex rounded-md bg-raised p-0.5">
      {areas.map(({ to, text }) => {
        const active = pathname.startsWith(to);
        return (
          <Link
            key={to}
            to={to}
            aria-current={active ? 'true' : undefined}
            className={`flex h-7 flex-1 items-center justify-center rounded px-3 text-xs font-medium transition-colors ${active ? 'bg-surface text-text shadow-card' : 'text-muted hover:text-text'}`}
          >
            {text}
          </Link>
        );
      })}
    </nav>
  );
}

function SiteLinks() {
  return siteLinks().map(({ text, href }) => (
    <a
      key={href}
      href={href}
      target="_blank"
      rel="noreferrer"
      className="flex h-8 items-center rounded-md px-2 text-xs text-muted transition-colors hover:bg-raised hover:text-text"
    >
      {text}
    </a>
  ));
}

/** Shows a line at the top while the next page loads, or while a change is sent to the cloud. */
function Progress() {
  const calls = useIsMutating();
  if (useNavigation().state === 'idle' && calls === 0) return null;
  return (
    <div
      role="progressbar"
      aria-label="Working"
      className="fixed inset-x-0 top-0 z-40 h-0.5 animate-advance bg-accent print:hidden"
    />
  );
}

/** Shows what works without a connection. */
function OfflineNote() {
  const isOnline = useSyncExternalStore(onConnection, () => navigator.onLine);
  if (isOnline) return null;
  return (
    <Notice icon={<WifiOff size={16} aria-hidden />}>
      You’re offline. Local databases work as usual. Changes to cloud databases are saved here and sent once
      you’re back online.
    </Notice>
  );
}

function onConnection(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}
