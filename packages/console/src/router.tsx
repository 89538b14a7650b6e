/** Defines the route table of spec §2. */

import {
  createBrowserRouter,
  type Params,
  type RouteObject,
  RouterContextProvider,
  redirect,
} from 'react-router';
import { type App, app } from './cloud/app.ts';
import { requireUser } from './cloud/sign-in/require-user.ts';
import { Root } from './routes/root.tsx';
import { PageError, RouteError } from './routes/route-error.tsx';
import { basePath } from './ui/pages/base-path.ts';
import { Skeleton } from './ui/pages/feedback.tsx';
import { homePath } from './ui/pages/mounted.ts';

const ledger: RouteObject[] = [
  {
    index: true,
    ...leadsTo(({ tenantId, ledgerId }) => `/fp/cloud/tenants/${tenantId}/ledgers/${ledgerId}/documents`),
  },
  { path: 'documents', lazy: () => import('./routes/cloud.tenants.$tenant.ledgers.$ledger.documents.tsx') },
  {
    path: 'documents/:documentId',
    lazy: () => import('./routes/cloud.tenants.$tenant.ledgers.$ledger.documents.$document.tsx'),
  },
  { path: 'history', lazy: () => import('./routes/cloud.tenants.$tenant.ledgers.$ledger.history.tsx') },
  { path: 'query/:id?', lazy: () => import('./routes/cloud.tenants.$tenant.ledgers.$ledger.query.tsx') },
  { path: 'sharing', lazy: () => import('./routes/cloud.tenants.$tenant.ledgers.$ledger.sharing.tsx') },
  { path: 'settings', lazy: () => import('./routes/cloud.tenants.$tenant.ledgers.$ledger.settings.tsx') },
];

const tenant: RouteObject[] = [
  { index: true, ...leadsTo(({ tenantId }) => `/fp/cloud/tenants/${tenantId}/overview`) },
  {
    lazy: () => import('./routes/cloud.tenants.$tenant.tsx'),
    children: [
      { path: 'overview', lazy: () => import('./routes/cloud.tenants.$tenant.overview.tsx') },
      { path: 'members', lazy: () => import('./routes/cloud.tenants.$tenant.members.tsx') },
      { path: 'admin', lazy: () => import('./routes/cloud.tenants.$tenant.admin.tsx') },
    ],
  },
  { path: 'delete', lazy: () => import('./routes/cloud.tenants.$tenant.delete.tsx') },
  { path: 'ledgers', lazy: () => import('./routes/cloud.tenants.$tenant.ledgers.tsx') },
  { path: 'ledgers/new', lazy: () => import('./routes/cloud.tenants.$tenant.ledgers.new.tsx') },
  {
    path: 'ledgers/:ledgerId',
    lazy: () => import('./routes/cloud.tenants.$tenant.ledgers.$ledger.tsx'),
    children: ledger,
  },
];

const cloud: RouteObject[] = [
  { index: true, lazy: () => import('./routes/cloud._index.tsx') },
  { path: 'account', lazy: () => import('./routes/cloud.account.tsx') },
  { path: 'device', lazy: () => import('./routes/cloud.device.tsx') },
  { path: 'tenants/new', lazy: () => import('./routes/cloud.tenants.new.tsx') },
  { path: 'tenants/:tenantId', children: tenant },
  { path: '*', lazy: () => import('./routes/not-found.tsx') },
];

const database: RouteObject[] = [
  { index: true, lazy: () => import('./routes/databases.$name._index.tsx') },
  { path: 'history', lazy: () => import('./routes/databases.$name.history.tsx') },
  { path: 'query/:id?', lazy: () => import('./routes/databases.$name.query.tsx') },
  { path: 'docs/:id', lazy: () => import('./routes/databases.$name.docs.$id.tsx') },
  { path: 'sharing', lazy: () => import('./routes/databases.$name.sharing.tsx') },
  { path: 'settings', lazy: () => import('./routes/databases.$name.settings.tsx') },
];

const databases: RouteObject[] = [
  { index: true, lazy: () => import('./routes/databases._index.tsx') },
  { path: 'new', lazy: () => import('./routes/databases.new.tsx') },
  { path: 'connect', lazy: () => import('./routes/databases.connect.tsx') },
  { path: ':name', lazy: () => import('./routes/databases.$name.tsx'), children: database },
  { path: '*', lazy: () => import('./routes/not-found.tsx') },
];

const routes: RouteObject[] = [
  {
    Component: Root,
    ErrorBoundary: RouteError,
    HydrateFallback: Starting,
    children: [
      { path: '/', ...leadsTo(homePath) },
      { path: '/login', lazy: () => import('./routes/login.tsx') },
      { path: '/signup', lazy: () => import('./routes/signup.tsx') },
      { path: '/fp/second-step', lazy: () => import('./routes/second-step.tsx') },
      { path: '/fp', ...leadsTo(homePath) },
      {
        path: '/fp/cloud/api/token',
        middleware: [requireUser],
        lazy: () => import('./routes/cloud.api.token.tsx'),
      },
      {
        path: '/fp/cloud/authorize',
        middleware: [requireUser],
        lazy: () => import('./routes/cloud.authorize.tsx'),
      },
      { path: '/fp/cloud/operator/claim', lazy: () => import('./routes/cloud.operator.claim.tsx') },
      { path: '/fp/cloud/invite', lazy: () => import('./routes/cloud.invite.tsx') },
      {
        path: '/fp/cloud/operator/:page?',
        middleware: [requireUser],
        lazy: () => import('./routes/cloud.operator.tsx'),
      },
      {
        path: '/fp/cloud',
        middleware: [requireUser],
        lazy: () => import('./routes/cloud.tsx'),
        children: [{ ErrorBoundary: PageError, children: cloud }],
      },
      {
        path: '/fp/databases',
        lazy: () => import('./routes/databases.tsx'),
        children: [{ ErrorBoundary: PageError, children: databases }],
      },
      { path: '*', lazy: () => import('./routes/lost.tsx') },
    ],
  },
];

/**
 * Returns the fields of a route that only redirects. The route shows a placeholder while its loader
 * runs.
 */
function leadsTo(path: (params: Params) => string): Pick<RouteObject, 'Component' | 'loader'> {
  return { Component: Starting, loader: ({ params }) => redirect(path(params)) };
}

function Starting() {
  return (
    <main className="grid min-h-full place-items-center">
      <Skeleton />
    </main>
  );
}

export function createRouter(parts: App) {
  return createBrowserRouter(routes, {
    basename: basePath() || '/',
    getContext: () => {
      const context = new RouterContextProvider();
      context.set(app, parts);
      return context;
    },
  });
}
