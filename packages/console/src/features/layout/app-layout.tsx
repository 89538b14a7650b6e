import { useIsMutating } from '@tanstack/react-query';
import { Menu, WifiOff, X } from 'lucide-react';
import { type ReactNode, useMemo, useState, useSyncExternalStore } from 'react';
import { Link, useNavigation } from 'react-router';
import { lazyComponent } from '../../ui/pages/lazy-component.tsx';
import { Notice } from '../../ui/pages/notice.tsx';
import { PageSlotsContext } from '../../ui/pages/page-slots.tsx';
import { SiteLinks } from '../../ui/pages/site-header.tsx';
import { Logo } from '../../ui/theme/logo.tsx';
import { ThemeToggle } from '../../ui/theme/theme-toggle.tsx';
import { PaletteButton } from '../commands/palette-button.tsx';
import { UserButton } from '../session/user-button.tsx';
import { useDrawer } from './use-drawer.ts';

const DeviceStorage = lazyComponent(async () => (await import('./device-storage.tsx')).DeviceStorage);

export interface AppLayoutProps {
  readonly sidebar: ReactNode;
  /** Shown in the header after the product's name: the page's place in the product. */
  readonly place?: ReactNode;
  readonly children: ReactNode;
}

/** Renders header, sidebar (a drawer on small screens) and page. */
export function AppLayout({ sidebar, place, children }: AppLayoutProps) {
  const drawer = useDrawer();
  const [crumbs, setCrumbs] = useState<HTMLElement | null>(null);
  const [title, setTitle] = useState<HTMLElement | null>(null);
  const [beside, setBeside] = useState<HTMLElement | null>(null);
  const [actions, setActions] = useState<HTMLElement | null>(null);
  const slots = useMemo(
    () => ({ crumbs, title, beside, actions, setBeside, setActions }),
    [crumbs, title, beside, actions],
  );
  return (
    <PageSlotsContext value={slots}>
      <div className="flex min-h-full flex-col">
        <a
          href="#page"
          className="sr-only rounded-md bg-accent text-on-accent forced-color-adjust-none focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:px-3 focus:py-2"
        >
          Skip to content
        </a>
        <Progress />
        <header className="sticky top-0 z-30 flex h-(--top) items-center gap-1 bg-bg px-2 tiny:gap-0 max-md:border-b max-md:border-line md:pr-3 md:pl-4 print:hidden">
          <button
            ref={drawer.button}
            type="button"
            aria-label={drawer.open ? 'Close menu' : 'Open menu'}
            aria-expanded={drawer.open}
            aria-controls="sidebar"
            className="grid size-10 shrink-0 cursor-pointer place-items-center rounded-md text-ink-3 hover:bg-pressed hover:text-ink md:hidden tiny:size-8"
            onClick={drawer.toggle}
          >
            {drawer.open ? <X size={18} aria-hidden /> : <Menu size={18} aria-hidden />}
          </button>
          <Link
            to="/"
            className="flex h-8 min-w-6 shrink-0 items-center justify-center gap-2 rounded text-base md:justify-start font-semibold tracking-tight md:w-[calc(var(--side)-1rem)]"
          >
            <Logo />
            <span className="max-md:sr-only">Fixpoint</span>
          </Link>
          <div className="flex min-w-0 items-center gap-1.5 overflow-hidden p-0.5 text-sm text-ink-3 max-md:ml-1 tiny:not-focus-within:sr-only">
            <Place>{place}</Place>
            <div ref={setCrumbs} className={place === undefined ? 'contents' : `contents ${CONTINUED}`} />
          </div>
          <Tools />
        </header>
        <div className="flex flex-1">
          {drawer.open && (
            // biome-ignore lint/a11y/noStaticElementInteractions: Escape and the button close it by keyboard
            // biome-ignore lint/a11y/useKeyWithClickEvents: Escape and the button close it by keyboard
            <div className="fixed inset-0 top-(--top) z-20 bg-scrim md:hidden" onClick={drawer.close} />
          )}
          <aside
            id="sidebar"
            ref={drawer.panel}
            tabIndex={-1}
            className={`${drawer.open ? 'fixed top-(--top) bottom-0 left-0 z-20 flex w-72 max-w-[85vw] animate-slide-in shadow-3' : 'hidden'} flex-col gap-2.5 overflow-y-auto bg-bg p-2 pt-1 outline-none md:sticky md:top-(--top) md:flex md:h-[calc(100dvh-var(--top))] md:w-(--side) md:shrink-0 md:animate-none md:shadow-none print:hidden!`}
          >
            {sidebar}
            <div className="mt-auto border-t border-line">
              <DeviceStorage />
              <nav aria-label="About Fixpoint" className="flex flex-wrap gap-x-1 pt-1 lg:hidden">
                <SiteLinks />
              </nav>
            </div>
          </aside>
          <main id="page" tabIndex={-1} inert={drawer.open} className="page outline-none print:border-0">
            <div ref={setTitle} className="contents" />
            <div className="page-body">
              <OfflineNote />
              {children}
            </div>
          </main>
        </div>
      </div>
    </PageSlotsContext>
  );
}

/** Renders the right end of the header. The commands also change the theme. */
const Tools = () => (
  <div className="ml-auto flex shrink-0 items-center gap-1 tiny:gap-0">
    <nav aria-label="About Fixpoint" className="hidden lg:flex">
      <SiteLinks />
    </nav>
    <PaletteButton />
    <span className="tiny:hidden">
      <ThemeToggle />
    </span>
    <UserButton />
  </div>
);

/** A phone has room only for the path to the page. */
const Place = ({ children }: { children: ReactNode }) => (
  <div className="contents max-sm:has-[+:not(:empty)]:hidden">{children}</div>
);

/** Separates the path to the page from the place before it. */
const CONTINUED = 'sm:*:before:mr-1.5 sm:*:before:text-line-strong sm:*:before:content-["/"/""] *:flex';

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
