/** How much a test tries: `FIXPOINT_BUDGET` is `commit` (in each run of the tests), `night` or `release` (docs/reliability.md). */
export function budget(counts: {
  readonly commit: number;
  readonly night: number;
  readonly release: number;
}): number {
  const name = process.env['FIXPOINT_BUDGET'] ?? 'commit';
  if (name === 'commit' || name === 'night' || name === 'release') return counts[name];
  throw new Error(`FIXPOINT_BUDGET=${name} is none of commit, night, release`);
}

/** The seed of a run: the budget's tests are the same each time, unless `FIXPOINT_SEED` gives another one. */
export const seed = (): number => Number(process.env['FIXPOINT_SEED'] ?? 20_261_121);

/** Time that a test of a budget may take before it counts as hung. */
export const patienceMs = (): number => budget({ commit: 300_000, night: 7_200_000, release: 86_400_000 });
