/**
 * The route table of the specification: the content of each address, and which visitors may see it.
 */

export const TENANT = 'Society of Analytical Engines';
export const LEDGER = 'notes of the society';
const EMPTY_TABLE = 'No documents found. Create a new document to get started.';

/**
 * Target of a row whose address redirects to the login page. After the sign-in, the login page
 * redirects back.
 */
export const LOGIN = 'login';

export interface Row {
  /**
   * Address from the route table. T stands for the tenant, L for its ledger, and E for its empty
   * ledger.
   */
  readonly at: string;
  /** Target address, if the address redirects. */
  readonly to?: string;
  readonly heading: string | RegExp;
  /** Texts that the page must show, including names of fields and buttons. */
  readonly texts?: readonly (string | RegExp)[];
  readonly title: RegExp;
}

const TENANT_TABS = ['Overview', 'Members', 'Settings'];
const LEDGER_TABS = ['Documents', 'Sharing'];

/** Routes for signed-in users. */
export const SIGNED_IN: readonly Row[] = [
  { at: '/', to: '/fp/cloud/tenants/T/overview', heading: TENANT, title: /^Society/ },
  { at: '/login', to: '/fp/cloud/tenants/T/overview', heading: TENANT, title: /^Society/ },
  {
    at: '/login?redirect_url=%2Ffp%2Fdatabases%2Fnew',
    to: '/fp/databases/new',
    heading: 'New local database',
    title: /^New/,
  },
  { at: '/signup', to: '/fp/cloud/tenants/T/overview', heading: TENANT, title: /^Society/ },
  { at: '/fp/cloud', to: '/fp/cloud/tenants/T/overview', heading: TENANT, title: /^Society/ },
  {
    at: '/fp/cloud/api/token',
    heading: 'Allow access to a database',
    texts: [/back_url/],
    title: /^Allow access/,
  },
  {
    at: '/fp/cloud/tenants/new',
    heading: 'New Tenant',
    texts: ['Name', 'Create', 'Cancel', /You own 1 tenant, and can own up to 5\.$/],
    title: /^New Tenant/,
  },
  {
    at: '/fp/cloud/tenants/T',
    to: '/fp/cloud/tenants/T/overview',
    heading: TENANT,
    texts: TENANT_TABS,
    title: /^Society/,
  },
  {
    at: '/fp/cloud/tenants/T/overview',
    heading: TENANT,
    texts: [...TENANT_TABS, /toCloud/, 'Documentation'],
    title: /^Society/,
  },
  {
    at: '/fp/cloud/tenants/T/members',
    heading: TENANT,
    texts: [...TENANT_TABS, 'Invite somebody'],
    title: /^Society/,
  },
  {
    at: '/fp/cloud/tenants/T/admin',
    heading: TENANT,
    texts: [
      'Update Tenant Name',
      'Update Name',
      'Danger Zone',
      'Delete Tenant',
      'Once you delete a tenant, there is no going back. Please be certain.',
    ],
    title: /^Society/,
  },
  {
    at: '/fp/cloud/tenants/T/delete',
    heading: 'Delete tenant',
    texts: [`Delete ${TENANT}`, 'Ada Lovelace'],
    title: /^Delete/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers',
    heading: 'Databases',
    texts: ['Select a database from the sidebar or create a new one.', LEDGER, 'empty'],
    title: /^Databases/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/new',
    heading: 'Create New Ledger',
    texts: ['New Database Name:', 'Create', /The tenant has 2 databases, and can have up to 5\.$/],
    title: /^Create New Ledger/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L',
    to: '/fp/cloud/tenants/T/ledgers/L/documents',
    heading: LEDGER,
    texts: LEDGER_TABS,
    title: /^notes/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/documents',
    heading: LEDGER,
    texts: [...LEDGER_TABS, 'New Document', 'document id', 'On the engine'],
    title: /^notes/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/E/documents',
    heading: 'empty',
    texts: [EMPTY_TABLE, 'New Document'],
    title: /^empty/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/documents/new',
    heading: LEDGER,
    texts: ['Back', 'Save'],
    title: /^New document/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/documents/note-1',
    heading: LEDGER,
    texts: ['Back', 'Save', '_id', 'note-1'],
    title: /^On the engine/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/sharing',
    heading: LEDGER,
    texts: [...LEDGER_TABS, 'Control who has access to your database.'],
    title: /^Sharing/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/settings',
    heading: LEDGER,
    texts: [...LEDGER_TABS, 'Update Name', 'Delete this database'],
    title: /^Settings/,
  },
  { at: '/fp/cloud/tenants/unknown/overview', heading: 'Not found', title: /^Not found/ },
  { at: '/fp/cloud/tenants/unknown/delete', heading: 'Not found', title: /^Not found/ },
  { at: '/fp/cloud/tenants/unknown/ledgers', heading: 'Not found', title: /^Not found/ },
  { at: '/fp/cloud/tenants/T/ledgers/unknown/documents', heading: 'Not found', title: /^Not found/ },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/documents/unknown',
    heading: LEDGER,
    texts: ['Not found'],
    title: /^unknown/,
  },
  {
    at: '/fp/cloud/device',
    heading: 'Sign in a program',
    texts: ['Code', 'Continue'],
    title: /^Sign in a program/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/history',
    heading: LEDGER,
    texts: [...LEDGER_TABS, 'Changes', 'By document', 'Check', 'Wrote On the engine'],
    title: /^History · notes/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/history?view=documents',
    heading: LEDGER,
    texts: [/newest first/, 'On the engine'],
    title: /^History · notes/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/history?view=check',
    heading: LEDGER,
    texts: ['Verify'],
    title: /^History · notes/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/history?view=compare',
    heading: LEDGER,
    texts: ['The other database', /Comparing doesn’t change or send anything/],
    title: /^History · notes/,
  },
  {
    at: '/fp/cloud/tenants/T/ledgers/L/query',
    heading: LEDGER,
    texts: [...LEDGER_TABS, 'Query', 'Save', /emit/],
    title: /^Query · notes/,
  },
  {
    at: '/fp/cloud/account',
    heading: 'Your account',
    texts: ['Signed-in browsers', 'Passkeys', 'Password'],
    title: /^Your account/,
  },
  {
    at: '/fp/second-step',
    heading: 'One more step',
    texts: ['Verify your address first'],
    title: /^One more step/,
  },
  { at: '/fp/cloud/no-such-page', heading: 'Not found', title: /^Not found/ },
];

/** Routes that only nightly runs open. */
export const RARE: readonly Row[] = [
  { at: '/fp/cloud/operator', heading: 'Not found', title: /^Not found/ },
  {
    at: '/fp/cloud/operator/claim',
    heading: 'Operate this server',
    texts: [/^This link is incomplete/],
    title: /^Operate this server/,
  },
  {
    at: '/fp/cloud/invite',
    heading: 'Invitation',
    texts: [/^This link is incomplete/],
    title: /^Invitation/,
  },
  {
    at: '/fp/cloud/authorize',
    heading: 'Sign in to an app',
    texts: [/^This app isn’t registered on this server/, 'Cloud home'],
    title: /^Sign in to an app/,
  },
  {
    at: '/fp/databases/groceries?show=schema',
    heading: 'groceries',
    texts: ['Table', 'Schema', 'price', 'Export'],
    title: /^groceries/,
  },
];

/** Routes for everybody. */
export const LOCAL: readonly Row[] = [
  {
    at: '/fp/databases',
    heading: 'Local databases',
    texts: ['Welcome', 'groceries'],
    title: /^Local databases/,
  },
  {
    at: '/fp/databases/new',
    heading: 'New local database',
    texts: ['Name', 'Create', 'Cancel'],
    title: /^New local database/,
  },
  {
    at: '/fp/databases/connect',
    heading: 'Connect',
    // Signed-in users see their tenants, all others the fields of an address.
    texts: ['Local name', 'Connect'],
    title: /^Connect/,
  },
  {
    at: '/fp/databases/connect?remoteName=x',
    heading: 'Connect',
    texts: ['Local name is required'],
    title: /^Connect/,
  },
  {
    at: '/fp/databases/groceries',
    heading: 'groceries',
    texts: ['document id', 'item', '2 documents', 'New Document', 'milk'],
    title: /^groceries/,
  },
  {
    at: '/fp/databases/groceries/history',
    heading: 'groceries',
    texts: ['Database created'],
    title: /^History · groceries/,
  },
  ...(
    [
      ['documents', /newest first/],
      ['check', /^Not verified yet/],
      ['compare', /^This browser has no other local database/],
    ] as const
  ).map(([view, text]) => ({
    at: `/fp/databases/groceries/history?view=${view}`,
    heading: 'groceries',
    texts: [text],
    title: /^History · groceries/,
  })),
  {
    at: '/fp/databases/groceries/sharing',
    heading: 'groceries',
    texts: ['Control who has access to your database.', 'Only in this browser', 'Connect'],
    title: /^Sharing · groceries/,
  },
  {
    at: '/fp/databases/groceries/settings',
    heading: 'groceries',
    texts: ['Only this browser', 'Create index', 'Export 2 documents', 'Delete Database'],
    title: /^Settings · groceries/,
  },
  {
    at: '/fp/databases/groceries/query',
    heading: 'groceries',
    texts: ['Query', 'Save', /emit/],
    title: /^Query · groceries/,
  },
  {
    at: '/fp/databases/groceries/query/unknown',
    heading: 'groceries',
    texts: ['Not found'],
    title: /^Query · groceries/,
  },
  {
    at: '/fp/databases/groceries/docs/new',
    heading: 'New Document',
    texts: ['Save', 'Cancel'],
    title: /^New document/,
  },
  {
    at: '/fp/databases/groceries/docs/milk',
    heading: 'milk',
    texts: ['Save', 'Delete', 'Cancel', 'milk'],
    title: /^milk · groceries/,
  },
  {
    at: '/fp/databases/groceries/docs/unknown',
    heading: 'unknown',
    texts: ['Not found'],
    title: /^unknown/,
  },
  { at: '/fp/databases/unknown', heading: 'Not found', texts: ['Create it'], title: /^Not found/ },
  { at: '/no/such/page', heading: 'Not found', title: /^Not found/ },
];

/**
 * Routes for signed-out visitors. Cloud pages redirect to the login page, which redirects back
 * after the sign-in.
 */
export const SIGNED_OUT: readonly Row[] = [
  { at: '/login', heading: 'Sign in', texts: ['Email', 'Password'], title: /^Sign in/ },
  {
    at: '/signup',
    heading: 'Create your account',
    texts: [/occasional informative emails/],
    title: /^Sign up/,
  },
  { at: '/', to: '/login?redirect_url=%2Ffp%2Fcloud', heading: 'Sign in', title: /^Sign in/ },
  ...[
    '/fp/cloud',
    '/fp/cloud/api/token?back_url=http%3A%2F%2Flocalhost%3A1%2F',
    '/fp/cloud/tenants/new',
    '/fp/cloud/tenants/T',
    '/fp/cloud/tenants/T/overview',
    '/fp/cloud/tenants/T/members',
    '/fp/cloud/tenants/T/admin',
    '/fp/cloud/tenants/T/delete',
    '/fp/cloud/tenants/T/ledgers',
    '/fp/cloud/tenants/T/ledgers/new',
    '/fp/cloud/tenants/T/ledgers/L',
    '/fp/cloud/tenants/T/ledgers/L/documents',
    '/fp/cloud/tenants/T/ledgers/L/documents/new',
    '/fp/cloud/tenants/T/ledgers/L/documents/note-1',
    '/fp/cloud/tenants/T/ledgers/L/sharing',
    '/fp/cloud/tenants/T/ledgers/L/settings',
    '/fp/cloud/tenants/T/ledgers/L/history',
    '/fp/cloud/tenants/T/ledgers/L/query',
    '/fp/cloud/account',
    '/fp/second-step',
  ].map(login),
];

function login(at: string): Row {
  return { at, to: LOGIN, heading: 'Sign in', title: /^Sign in/ };
}
