/** Maps each place to the other places that it may use. */
export type Plan = Readonly<Record<string, readonly string[]>>;

/** Packages of this repository, each with the packages that it may use. */
const PACKAGES: Plan = {
  protocol: [],
  engine: ['protocol'],
  react: ['engine', 'protocol'],
  vue: ['engine'],
  svelte: ['engine'],
  solid: ['engine'],
  cloud: ['protocol'],
  console: ['protocol', 'engine', 'react'],
  cli: ['protocol', 'engine', 'cloud'],
  server: ['protocol'],
  'vite-plugin': [],
  create: [],
};

const pure = ['base', 'codec'];
/**
 * Folders of the engine, each with the folders that it may use. A pure folder doesn't read blocks
 * itself: its functions receive a function that reads blocks, and return new blocks.
 */
const ENGINE_ROOMS: Plan = {
  base: [],
  ports: [],
  codec: ['base'],
  documents: pure,
  trie: pure,
  clock: [...pure, 'trie'],
  prolly: pure,
  membership: pure,
  proof: [...pure, 'documents', 'trie', 'clock'],
  crypto: [...pure, 'ports'],
  archive: [...pure, 'crypto'],
  store: [...pure, 'ports', 'clock', 'crypto', 'archive'],
  commit: [...pure, 'ports', 'documents', 'trie', 'clock', 'membership', 'crypto', 'archive', 'store'],
  text: [...pure, 'documents', 'prolly'],
  index: [...pure, 'ports', 'documents', 'trie', 'clock', 'prolly', 'commit', 'text'],
  files: [...pure, 'documents', 'archive', 'commit'],
  rows: [...pure, 'ports', 'documents', 'trie', 'clock', 'commit', 'index'],
  find: [...pure, 'documents', 'trie', 'prolly', 'commit', 'text', 'index', 'rows'],
  sync: [...pure, 'ports', 'clock', 'membership', 'crypto', 'archive', 'store', 'commit'],
  existing: [...pure, 'ports', 'documents', 'trie', 'clock', 'crypto', 'archive', 'store', 'commit', 'sync'],
  database: [
    ...pure,
    'ports',
    'documents',
    'trie',
    'clock',
    'crypto',
    'store',
    'commit',
    'index',
    'files',
    'rows',
    'find',
    'proof',
    'sync',
    'existing',
  ],
  collections: [...pure, 'documents', 'find', 'files', 'database'],
  session: ['base', 'ports', 'collections', 'database', 'sync'],
  fireproof: ['codec', 'documents', 'clock', 'database', 'sync', 'existing'],
  bridge: [...pure, 'documents', 'clock', 'files', 'database', 'collections', 'sync'],
  live: ['clock', 'documents', 'files', 'rows', 'collections', 'database', 'sync', 'platform'],
  platform: ['base', 'ports'],
  testing: ['base', 'ports', 'platform', 'database', 'collections', 'sync'],
  entries: [
    'base',
    'bridge',
    'clock',
    'codec',
    'collections',
    'commit',
    'crypto',
    'database',
    'documents',
    'existing',
    'files',
    'find',
    'fireproof',
    'index',
    'live',
    'platform',
    'ports',
    'proof',
    'rows',
    'session',
    'sync',
  ],
};

/**
 * Folders of the cloud, each with the folders that it may use. The files that start a server and
 * connect its parts are outside of these folders.
 */
const CLOUD_ROOMS: Plan = {
  tables: [],
  limits: [],
  observe: [],
  bus: [],
  objects: [],
  mail: ['tables'],
  tokens: ['tables'],
  rights: ['tables'],
  identity: ['limits', 'tables', 'mail'],
  admin: ['rights', 'tables', 'tokens', 'identity', 'mail', 'observe', 'limits'],
  gateway: ['limits', 'rights', 'tables', 'tokens', 'objects', 'bus', 'observe'],
  maintenance: ['tables', 'objects'],
  backup: ['tables', 'objects', 'observe', 'maintenance'],
  http: ['admin', 'gateway', 'identity', 'limits', 'mail', 'objects', 'observe', 'tokens'],
};

/** Folders of the command line, each with the folders that it may use. */
const CLI_ROOMS: Plan = {
  served: [],
  api: ['served'],
  webhooks: ['served'],
  mcp: ['served'],
  commands: ['api', 'mcp', 'served', 'webhooks'],
};

const uiOnly: readonly string[] = [];
const CONSOLE_ROOMS: Plan = {
  ui: uiOnly,
  leaving: ['ui'],
  offline: ['ui'],
  preload: [],
  // The search of the documentation site, which is a page of its own.
  documentation: [],
  values: [],
  engine: ['leaving', 'ui', 'values'],
  cloud: ['engine', 'leaving', 'preload', 'ui'],
  undo: ['leaving', 'ui', 'values'],
  local: ['engine', 'leaving', 'ui', 'undo', 'values'],
  features: ['cloud', 'leaving', 'local', 'ui', 'undo', 'values'],
  routes: ['features', 'cloud', 'leaving', 'local', 'offline', 'ui', 'undo', 'values'],
};

/**
 * Features of the console, each with the features that it may use. Code that two features share
 * moves to a lower folder.
 */
const CONSOLE_FEATURES: Plan = {
  diff: [],
  editor: [],
  grid: [],
  charts: [],
  filter: [],
  schema: ['commands', 'filter', 'transfer'],
  'sign-in-aside': [],
  session: ['sign-in-aside'],
  commands: ['session'],
  transfer: ['commands'],
  layout: ['commands', 'session', 'sync'],
  account: ['session'],
  tokens: ['account'],
  applications: ['account'],
  members: ['account', 'session'],
  tenants: ['charts'],
  operator: ['layout', 'tenants'],
  'hand-off': [],
  keys: [],
  sharing: ['keys', 'members'],
  sync: ['keys'],
  ledgers: ['keys'],
  connect: ['keys', 'layout', 'ledgers', 'sync'],
  databases: ['connect', 'keys', 'layout', 'sync'],
  'try-it': [],
  history: ['diff', 'grid'],
  query: ['charts', 'commands', 'editor', 'grid', 'history'],
  documents: ['commands', 'diff', 'editor', 'filter', 'grid', 'history', 'schema', 'transfer'],
};

/** Plans by root folder. The name of a place is the name of its folder. */
export const PLANS: readonly { readonly root: string; readonly plan: Plan }[] = [
  { root: 'packages', plan: PACKAGES },
  { root: 'packages/engine/src', plan: ENGINE_ROOMS },
  { root: 'packages/cloud/src', plan: CLOUD_ROOMS },
  { root: 'packages/cli/src', plan: CLI_ROOMS },
  { root: 'packages/console/src', plan: CONSOLE_ROOMS },
  { root: 'packages/console/src/features', plan: CONSOLE_FEATURES },
];

/** Files that only the listed folders may import. */
export const DOORS: readonly { readonly file: string; readonly rooms: readonly string[] }[] = [
  // Only `commit` reads and writes the head record, with the functions of `store`.
  { file: 'packages/engine/src/store/head-record.ts', rooms: ['commit', 'store'] },
];
