import { useState } from 'react';
import { useVisit } from '../../leaving/visit.ts';
import type { DatabasePages } from '../../local/database-pages.ts';
import { type StoredQuery, savedQueriesOf, saveQuery } from '../../local/saved-queries.ts';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { useTask } from '../../ui/overlays/use-task.ts';
import { atSearch } from '../history/versions/version-address.ts';
import { moveQueryDraft } from './query-draft.ts';
import { isPlain, type QueryOptionTexts, writeOptionsDraft } from './query-options.ts';

export interface SavedParts {
  readonly database: { readonly name: string };
  readonly pages: DatabasePages;
  readonly saved: StoredQuery | undefined;
  readonly label: string;
  readonly then: readonly string[] | undefined;
  readonly source: string;
  readonly options: QueryOptionTexts;
  /** Whether the query differs from its saved version. */
  readonly isEdited: boolean;
  /** Called before the address changes to the address of the saved query. */
  readonly onFirstSaved: (query: StoredQuery) => void;
}

export interface Saving {
  readonly name: string;
  setName(name: string): void;
  readonly isBusy: boolean;
  /** Whether there is something to save. */
  readonly isChanged: boolean;
  save(): Promise<void>;
  /** Removes the saved query, with an undo. */
  remove(query: StoredQuery): Promise<void>;
}

/** Names, saves and removes the query of a page. */
export function useSaving(parts: SavedParts): Saving {
  const { database, pages, saved, label, then, source, options, isEdited, onFirstSaved } = parts;
  const search = then === undefined ? '' : `?${atSearch(then)}`;
  const [typed, setTyped] = useState<string | undefined>();
  const name = typed ?? label;
  const { isBusy, run } = useTask();
  const begin = useVisit();
  const toast = useToast();

  const save = async () => {
    const visit = begin();
    await run('Couldn’t save the query', async () => {
      const { options: _, ...kept } = saved ?? {};
      const more = isPlain(options) ? {} : { options };
      const query = { ...kept, name: name.trim() || label, source, ...more };
      const id = await saveQuery(database.name, query);
      moveQueryDraft(database.name, saved?._id, id, source);
      writeOptionsDraft(database.name, saved?._id, undefined);
      setTyped((now) => (now === typed ? query.name : now));
      toast(`Saved "${query.name}".`);
      if (saved !== undefined || visit.isOver()) return;
      onFirstSaved({ ...query, _id: id });
      await visit.leadTo(`${pages.query}/${encodeURIComponent(id)}${search}`);
    });
  };

  const remove = async (query: StoredQuery) => {
    const visit = begin();
    const queries = savedQueriesOf(database.name);
    await run('Couldn’t remove the query', async () => {
      await queries.del(query._id);
      const undo = () => void run('Couldn’t restore the query', () => queries.put(query));
      toast(`Removed "${label}".`, { undo });
      await visit.leadTo(`${pages.query}${search}`);
    });
  };

  const isChanged = saved === undefined || isEdited || name.trim() !== label;
  return { name, setName: setTyped, isBusy, isChanged, save, remove };
}
