/** Defines the palette's commands and their search. */
import type { Ledger, UserTenant } from '@fixpoint/protocol/admin';
import { tenantLabel } from '../../cloud/tenant-label.ts';
import { documentPath } from '../../local/document-path.ts';
import type { ListedDatabase } from '../../local/use-local-databases.ts';
import { PAGE_SHORTCUTS, type PageShortcut } from '../../ui/shortcut-table.ts';
import { quotedId } from '../../values/shown-id.ts';
import { documentsOf, type Place } from './place.ts';

/** Names a command that does more than open a page. */
export type Action = 'theme' | 'help' | 'licenses' | 'signOut' | 'copyLink' | 'print' | 'undo' | 'redo';

export interface Command {
  readonly id: string;
  readonly label: string;
  /** Distinguishes several commands of the same name. */
  readonly detail?: string;
  /** Additional search words. */
  readonly words?: string;
  readonly keys?: readonly string[];
  readonly does: { readonly to: string } | { readonly action: Action };
}

export interface CommandGroup {
  readonly label: string;
  readonly items: readonly Command[];
}

/** The databases, tenants and ledgers that the palette can open; some may still be loading. */
export interface Known {
  /** Undefined until known. */
  readonly isSignedIn: boolean | undefined;
  readonly databases: readonly ListedDatabase[];
  readonly tenants: readonly UserTenant[];
  readonly ledgers: readonly Ledger[];
  /** Labels of the steps that can be undone and redone. */
  readonly undo?: string | undefined;
  readonly redo?: string | undefined;
}

const page = (label: string, to: string, more: Partial<Command> = {}): Command => ({
  id: to,
  label,
  does: { to },
  ...more,
});
const keysOf = (name: PageShortcut) => ({ keys: PAGE_SHORTCUTS[name].keys });

export function commandGroups(place: Place, known: Known): readonly CommandGroup[] {
  const groups = [
    { label: 'This page', items: hereCommands(place, known) },
    { label: 'Actions', items: actionCommands(place, known) },
    { label: 'Pages', items: pageCommands(known) },
    {
      label: 'Local databases',
      items: known.databases.map(({ name, path }) => page(name, path, { words: 'local database' })),
    },
    {
      label: 'Tenants',
      items: known.tenants.map((tenant) =>
        page(tenantLabel(tenant), `/fp/cloud/tenants/${tenant.tenantId}/overview`, {
          words: `tenant ${tenant.tenantId}`,
        }),
      ),
    },
    {
      label: 'Databases in the cloud',
      items: known.ledgers.map(({ tenantId, ledgerId, name }) =>
        page(name, `/fp/cloud/tenants/${tenantId}/ledgers/${ledgerId}/documents`, {
          words: `ledger cloud database ${ledgerId}`,
          detail: labelOfTenant(known, tenantId),
        }),
      ),
    },
  ];
  return groups
    .filter(({ items }) => items.length > 0)
    .map(({ label, items }) => ({
      label,
      items: items.map((item) => ({ ...item, id: `${label}: ${item.id}` })),
    }));
}

function labelOfTenant({ tenants }: Known, id: string): string {
  const tenant = tenants.find(({ tenantId }) => tenantId === id);
  return tenant === undefined ? id : tenantLabel(tenant);
}

function hereCommands(place: Place, known: Known): Command[] {
  const { tenantId } = place;
  const documents = documentsOf(place);
  const commands: Command[] = stepCommands(known);
  if (documents !== undefined)
    commands.push(
      page('New document', documents.create, { ...keysOf('newDocument'), words: 'create add' }),
      page('All documents', documents.all, { ...keysOf('goDocuments'), words: 'table' }),
      page('History', documents.history, { ...keysOf('goHistory'), words: 'changes commits' }),
      page('Query', documents.query, { ...keysOf('goQuery'), words: 'map function' }),
      page('Sharing', documents.sharing, { words: 'access rights' }),
      page('Database settings', documents.settings, { words: 'rename delete ledger index export' }),
    );
  if (tenantId === undefined || !known.tenants.some((tenant) => tenant.tenantId === tenantId))
    return commands;
  const tenant = `/fp/cloud/tenants/${tenantId}`;
  const detail = labelOfTenant(known, tenantId);
  commands.push(
    page('New database in the cloud', `${tenant}/ledgers/new`, { detail, words: 'create ledger' }),
    page('Databases', `${tenant}/ledgers`, { detail, words: 'ledgers list' }),
    page('Members', `${tenant}/members`, { detail, words: 'invite people roles' }),
    page('Settings', `${tenant}/admin`, { detail, words: 'rename delete tenant admin' }),
  );
  return commands;
}

const stepCommands = (known: Known): Command[] =>
  (['undo', 'redo'] as const).flatMap((action): Command[] => {
    const detail = known[action];
    const label = action === 'undo' ? 'Undo' : 'Redo';
    return detail === undefined ? [] : [{ id: action, label, detail, ...keysOf(action), does: { action } }];
  });

function actionCommands({ pathname }: Place, { isSignedIn }: Known): Command[] {
  const act = (action: Action, label: string, more: Partial<Command> = {}): Command => ({
    id: action,
    label,
    does: { action },
    ...more,
  });
  return [
    page('New local database', '/fp/databases/new', { words: 'create' }),
    page('Connect a local database', '/fp/databases/connect', { words: 'remote name' }),
    ...(isSignedIn === true ? [page('New tenant', '/fp/cloud/tenants/new', { words: 'create' })] : []),
    act('theme', 'Switch between light and dark', { ...keysOf('theme'), words: 'theme mode night' }),
    act('copyLink', 'Copy a link to this page', { words: 'address share' }),
    act('print', 'Print this page', { words: 'paper pdf' }),
    act('licenses', 'Third-party licenses', { words: 'open source notices' }),
    act('help', 'Keyboard shortcuts', { ...keysOf('help'), words: 'keys help' }),
    ...(isSignedIn === true ? [act('signOut', 'Sign out', { words: 'log out leave' })] : []),
    ...(isSignedIn === false
      ? [
          page('Sign in', `/login?redirect_url=${encodeURIComponent(pathname)}`, { words: 'log in account' }),
          page('Sign up', '/signup', { words: 'register account' }),
        ]
      : []),
  ];
}

function pageCommands({ isSignedIn }: Known): Command[] {
  return [
    page('Local databases', '/fp/databases', { ...keysOf('goLocal'), words: 'browser' }),
    page('Cloud', '/fp/cloud', { ...keysOf('goCloud'), words: 'home' }),
    ...(isSignedIn === true
      ? [
          page('Your account', '/fp/cloud/account', { words: 'password passkey devices sessions security' }),
          page('Sign a program in', '/fp/cloud/device', { words: 'device code command line' }),
        ]
      : []),
  ];
}

/** Returns the commands that a typed text may mean in the open database. */
export function documentCommands(place: Place, typed: string): readonly CommandGroup[] {
  const documents = documentsOf(place);
  if (documents === undefined || typed === '') return [];
  const text = typed.trim();
  // Surrounding spaces may be part of an id.
  const ids = [...new Set([text, typed])].filter(Boolean);
  const items = [
    ...(text === ''
      ? []
      : [page(`Find "${text}" in all documents`, `${documents.all}?find=${encodeURIComponent(text)}`)]),
    ...ids.map((id) =>
      page(`Open the document with the id ${quotedId(id)}`, documentPath(documents.base, id)),
    ),
  ];
  return [{ label: 'Documents', items }];
}

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase();

/**
 * Returns the groups with entries whose texts contain all typed words, in any order. Entries whose
 * label starts with the first word come first.
 */
export function searchCommands(groups: readonly CommandGroup[], typed: string): readonly CommandGroup[] {
  const words = plain(typed).split(/\s+/).filter(Boolean);
  if (words.length === 0) return groups;
  return groups.flatMap(({ label, items }) => {
    const ranked = items.flatMap((item) => {
      const rank = rankOf(item, label, words);
      return rank === undefined ? [] : [{ item, rank }];
    });
    if (ranked.length === 0) return [];
    return [{ label, items: ranked.sort((a, b) => a.rank - b.rank).map(({ item }) => item) }];
  });
}

/**
 * Returns 0 if the label starts with the first word, 1 if it contains all words, 2 if the other
 * texts are needed too; undefined for no match.
 */
function rankOf(item: Command, group: string, words: readonly string[]): number | undefined {
  const label = plain(item.label);
  const all = plain(`${item.label} ${item.detail ?? ''} ${item.words ?? ''} ${group}`);
  if (!words.every((word) => all.includes(word))) return undefined;
  if (label.startsWith(words[0] ?? '')) return 0;
  return words.every((word) => label.includes(word)) ? 1 : 2;
}
