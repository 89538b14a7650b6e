import type { Node } from '../commits/commit-lanes.ts';

/** The state of a database when `commit` was its newest commit. */
export interface PastState<Commit extends Node = Node> {
  readonly commit: Commit;
  readonly head: readonly string[];
}

/**
 * Returns the states that a database had, newest first. Each state is the previous one in the list,
 * without its newest commit. The list ends where it would need commits that aren't in `commits`.
 * @param commits newest first, each before all of its ancestors
 * @param now the database's head; its events that aren't in `commits` are in every state
 */
export function statesOf<Commit extends Node>(
  commits: readonly Commit[],
  now: readonly string[],
): PastState<Commit>[] {
  const known = new Set(commits.map(({ event }) => event));
  const children = new Map<string, number>();
  for (const { parents } of commits)
    for (const parent of parents) children.set(parent, (children.get(parent) ?? 0) + 1);
  const head = new Set([...now, ...known].filter((event) => !children.has(event)));
  const states: PastState<Commit>[] = [];
  for (const commit of commits) {
    states.push({ commit, head: [...head].sort() });
    head.delete(commit.event);
    for (const parent of commit.parents) {
      const left = (children.get(parent) ?? 1) - 1;
      children.set(parent, left);
      if (left > 0) continue;
      // Other commits that aren't loaded may descend from this parent.
      if (!known.has(parent)) return states;
      head.add(parent);
    }
  }
  return states;
}

/**
 * Returns the commits down to the oldest kept one. Omits the commits after it, because they only
 * mark the beginning of the history. They aren't states of the database.
 */
export function keptOf<Commit extends { readonly isHorizon?: true }>(
  commits: readonly Commit[],
): readonly Commit[] {
  const oldest = commits.findIndex(({ isHorizon }) => isHorizon === true);
  return oldest < 0 ? commits : commits.slice(0, oldest + 1);
}
