import type { Node } from './commit-lanes.ts';

/** A database as it was when a commit was its newest one. */
export interface PastState<Commit extends Node = Node> {
  readonly commit: Commit;
  readonly head: readonly string[];
}

/**
 * The states that a database went through, the newest first: each without the commit that is the newest of the one before. They end where commits would be
 * needed that are not among these.
 * @param commits the newest first, each before all that it descends from
 * @param now the head of the database: what lies apart from all of these commits is in it
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
      // Another commit that is not here may descend from it.
      if (!known.has(parent)) return states;
      head.add(parent);
    }
  }
  return states;
}

/** Commits before the oldest that is kept: behind it stands what is no state of the database, but only where every history begins. */
export function keptOf<Commit extends { readonly isHorizon?: true }>(
  commits: readonly Commit[],
): readonly Commit[] {
  const oldest = commits.findIndex(({ isHorizon }) => isHorizon === true);
  return oldest < 0 ? commits : commits.slice(0, oldest + 1);
}
