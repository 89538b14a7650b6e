/** The pages of the documentation site, and the order in which its navigation lists them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

export interface SitePage {
  /** Path of the Markdown file below the root of the repository, such as `docs/guide/sync.md`. */
  readonly source: string;
  /** Path of the page below `docs/`, such as `guide/sync.html`. */
  readonly path: string;
  readonly title: string;
  readonly markdown: string;
}

export interface NavigationGroup {
  readonly name: string;
  /** Paths of sources, relative to the root of the repository. */
  readonly sources: readonly string[];
}

const guide = (...names: string[]) => names.map((name) => `docs/guide/${name}.md`);
const docs = (...names: string[]) => names.map((name) => `docs/${name}.md`);

export const NAVIGATION: readonly NavigationGroup[] = [
  {
    name: 'Start',
    sources: [
      'README.md',
      ...guide('tutorial', 'examples', 'comparison', 'switching', 'from-dexie', 'from-pouchdb', 'from-rxdb'),
    ],
  },
  {
    name: 'Build applications',
    sources: guide(
      ...[
        'database',
        'collections',
        'react',
        'frameworks',
        'sync',
        'presence',
        'testing',
        'history',
        'attachments',
        'large-databases',
        'storage',
      ],
      ...['sign-in', 'identity'],
    ),
  },
  {
    name: 'Run and operate',
    sources: [
      ...guide('install', 'operating', 'monitoring', 'runbooks', 'backup', 'console', 'command-line'),
      ...docs('scale'),
    ],
  },
  {
    name: 'Reference',
    sources: [...guide('api', 'http-api', 'local-api'), ...docs('roles', 'access', 'glossary')],
  },
  {
    name: 'What it promises',
    sources: docs('reliability', 'security', 'benchmarks', 'rules', 'specification', 'architecture'),
  },
  {
    name: 'Project',
    sources: ['CHANGELOG.md', 'UPGRADING.md', 'CONTRIBUTING.md', 'CODE_OF_CONDUCT.md', 'SECURITY.md'],
  },
];

/** Folders whose pages are reached by links, and aren't in the navigation. */
const LINKED = ['docs/internals', 'docs/decisions', 'docs/benchmarks'];

/** Returns the path of the page that is made of a Markdown file. */
export function pagePathOf(source: string): string {
  if (source === 'README.md') return 'index.html';
  const below = source.startsWith('docs/') ? source.slice('docs/'.length) : `project/${source.toLowerCase()}`;
  return below.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html');
}

/** Returns the path of `to` relative to the page `from`. Both are paths below `docs/`. */
export const relativePath = (from: string, to: string): string =>
  posix.relative(posix.dirname(from), to) || posix.basename(to);

/** Reads all pages. @param root the root of the repository */
export function readPages(root: string): SitePage[] {
  const listed = NAVIGATION.flatMap(({ sources }) => sources);
  const linked = LINKED.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => `${folder}/${name}`),
  );
  return [...listed, ...linked].map((source) => {
    const markdown = readFileSync(join(root, source), 'utf8');
    const title = /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll('`', '');
    if (title === undefined) throw new Error(`${source} has no title`);
    return { source, path: pagePathOf(source), title, markdown };
  });
}
