import type { CommitEvent } from 'fixpoint';
import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { type People, type Who, whoWrote } from '../../../values/who-wrote.ts';

export interface ShownCommits {
  readonly commits: readonly CommitEvent[];
  /** All authors of the loaded commits, sorted by name. */
  readonly authors: readonly Who[];
  /** The id of the author whose commits are shown; undefined for all authors. */
  readonly author: string | undefined;
  readonly showAuthor: (id: string | undefined) => void;
}

/**
 * Returns the commits of the author that the address of the page names.
 * @param own the id of this device
 */
export function useShownCommits(
  commits: readonly CommitEvent[],
  own: string | undefined,
  people: People,
): ShownCommits {
  const [parameters, setParameters] = useSearchParams();
  const author = parameters.get('who') ?? undefined;
  const authors = useMemo(() => {
    const byId = new Map<string, Who>();
    for (const commit of commits) {
      const who = whoWrote(commit, own, people);
      if (!byId.has(who.id)) byId.set(who.id, who);
    }
    return [...byId.values()].sort((a, b) => a.name.localeCompare(b.name));
  }, [commits, own, people]);
  const shown = useMemo(
    () =>
      author === undefined
        ? commits
        : commits.filter((commit) => whoWrote(commit, own, people).id === author),
    [author, commits, own, people],
  );
  const showAuthor = (id: string | undefined) =>
    setParameters((now) => {
      const next = new URLSearchParams(now);
      next.delete('event');
      if (id === undefined) next.delete('who');
      else next.set('who', id);
      return next;
    });
  return { commits: shown, authors, author, showAuthor };
}
