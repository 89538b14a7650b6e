/** Renders parts of pages in their own router. */
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render } from '@testing-library/react';
import type { ComponentType } from 'react';
import {
  createMemoryRouter,
  Outlet,
  type RouteObject,
  RouterContextProvider,
  RouterProvider,
} from 'react-router';
import { afterEach } from 'vitest';
import { appWith } from '../cloud/app.fixture.ts';
import { type App, AppContext, app } from '../cloud/app.ts';
import { useAskBeforeLeaving } from '../leaving/ask-before-leaving.ts';
import { countVisits, VisitsContext } from '../leaving/visit.ts';
import { Toaster } from './overlays/toaster.tsx';

export interface DrawnPages {
  readonly router: ReturnType<typeof createMemoryRouter>;
  /** Returns the current path. */
  path(): string;
  /** Starts navigation to a page, without waiting for it. */
  go(path: string | number): Promise<void>;
}

/** Must be called once in a file that renders pages. */
export function withPages(): void {
  afterEach(cleanup);
}

function Around() {
  useAskBeforeLeaving();
  return <Outlet />;
}

/** Renders these routes, and starts at the path `at`. */
export async function drawPages(
  routes: readonly RouteObject[],
  at: string,
  parts: App = appWith({}),
): Promise<DrawnPages> {
  const router = createMemoryRouter([{ Component: Around, children: [...routes] }], {
    initialEntries: [at],
    getContext: () => {
      const context = new RouterContextProvider();
      context.set(app, parts);
      return context;
    },
  });
  await act(async () => {
    render(
      <AppContext value={parts}>
        <QueryClientProvider client={parts.queries}>
          <VisitsContext value={countVisits(router)}>
            <Toaster>
              <RouterProvider router={router} />
            </Toaster>
          </VisitsContext>
        </QueryClientProvider>
      </AppContext>,
    );
  });
  return {
    router,
    path: () => router.state.location.pathname + router.state.location.search,
    go: async (path) => {
      await act(async () => void (typeof path === 'number' ? router.navigate(path) : router.navigate(path)));
    },
  };
}

/** Returns a page that shows only its name. */
export const pageCalled = (name: string): ComponentType =>
  function Page() {
    return <h1>{name}</h1>;
  };

export interface Waiting<T> {
  readonly promise: Promise<T>;
  /** Resolves the answer, and waits until its result has rendered. */
  come(value: T): Promise<void>;
}

/** Returns an answer that resolves when the test calls `come`. */
export function waiting<T>(): Waiting<T> {
  let resolve: ((value: T) => void) | undefined;
  const promise = new Promise<T>((end) => {
    resolve = end;
  });
  return { promise, come: (value) => act(async () => resolve?.(value)) };
}
