import type { IForbiddenRuleType } from 'dependency-cruiser';

/** A table of places and the other places that each may use. */
type Plan = Readonly<Record<string, readonly string[]>>;

/** Which of our packages a package may use. */
export const PACKAGES: Plan = {
  protocol: [],
  engine: ['protocol'],
  react: ['engine', 'protocol'],
  cloud: ['protocol'],
  console: ['protocol', 'engine', 'react'],
  cli: ['protocol', 'engine', 'cloud'],
  'vite-plugin': [],
};

const pure = ['base', 'codec'];
/** Which rooms of the engine a room may use. Pure rooms take a function that reads blocks, and give back blocks. */
export const ENGINE_ROOMS: Plan = {
  base: [],
  ports: [],
  codec: ['base'],
  documents: pure,
  trie: pure,
  clock: [...pure, 'trie'],
  prolly: pure,
  proof: [...pure, 'documents', 'trie', 'clock'],
  crypto: [...pure, 'ports'],
  archive: [...pure, 'crypto'],
  store: [...pure, 'ports', 'clock', 'crypto', 'archive'],
  commit: [...pure, 'ports', 'documents', 'trie', 'clock', 'crypto', 'archive', 'store'],
  index: [...pure, 'ports', 'documents', 'trie', 'clock', 'prolly', 'commit'],
  files: [...pure, 'documents', 'archive', 'commit'],
  rows: [...pure, 'ports', 'documents', 'trie', 'clock', 'commit', 'index'],
  sync: [...pure, 'ports', 'clock', 'crypto', 'archive', 'store', 'commit'],
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
    'proof',
    'sync',
    'existing',
  ],
  fireproof: ['codec', 'documents', 'clock', 'database', 'sync', 'existing'],
  bridge: [...pure, 'clock', 'database', 'files', 'sync'],
  platform: ['base', 'ports'],
  testing: ['base', 'ports', 'platform'],
};

/** Which rooms of the cloud a room may use (composition roots stand outside of rooms). */
export const CLOUD_ROOMS: Plan = {
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
  http: ['admin', 'gateway', 'identity', 'limits', 'mail', 'objects', 'observe', 'tokens'],
};

const uiOnly: readonly string[] = [];
export const CONSOLE_ROOMS: Plan = {
  ui: uiOnly,
  offline: [],
  preload: [],
  values: [],
  engine: ['ui', 'values'],
  cloud: ['engine', 'preload', 'ui'],
  local: ['engine', 'ui'],
  features: ['cloud', 'local', 'ui', 'values'],
  routes: ['features', 'cloud', 'local', 'offline', 'ui'],
};

const TEST_CODE = '\\.(test|fixture)\\.tsx?$';

/** For each place of `plan` under `root`: a rule that it uses no other place than the plan says. */
function rulesOf(plan: Plan, root: string): IForbiddenRuleType[] {
  return Object.entries(plan).map(([place, allowed]) => ({
    name: `${root}/${place} may use only: ${allowed.join(', ') || 'nothing'}`,
    severity: 'error',
    from: { path: `^${root}/${place}/`, pathNot: TEST_CODE },
    to: { path: `^${root}/[^/]+/`, pathNot: [place, ...allowed].map((name) => `^${root}/${name}/`) },
  }));
}

/** Rules that tables cannot say. */
const SPECIAL: IForbiddenRuleType[] = [
  {
    name: 'what runs uses no tests and nothing that is there for them',
    severity: 'error',
    from: { path: '^packages/[^/]+/src/', pathNot: ['/src/testing/', TEST_CODE] },
    to: { path: ['/src/testing/', '/tests/', TEST_CODE] },
  },
  {
    name: 'no file is part of a run-time cycle',
    severity: 'error',
    from: { pathNot: TEST_CODE },
    to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
  },
  {
    name: 'one door: only commit reads and writes the head record',
    severity: 'error',
    from: { path: '^packages/engine/src/', pathNot: ['^packages/engine/src/(commit|store)/', TEST_CODE] },
    to: { path: '^packages/engine/src/store/head-record\\.ts$' },
  },
];

export const RULES: IForbiddenRuleType[] = [
  ...rulesOf(PACKAGES, 'packages'),
  ...rulesOf(ENGINE_ROOMS, 'packages/engine/src'),
  ...rulesOf(CLOUD_ROOMS, 'packages/cloud/src'),
  ...rulesOf(CONSOLE_ROOMS, 'packages/console/src'),
  ...SPECIAL,
];
