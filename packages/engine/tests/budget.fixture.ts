/**
 * How much a test tries: `FIXPOINT_BUDGET` is `commit` (in each run of the tests), `night` or `release` (docs/reliability.md). Of that `FIXPOINT_SHARE` is done,
 * from 0 to 1: what runs the tests hundreds of times has no time for all of it.
 */
export function budget(counts: Counts): number {
  return Math.ceil(chosen(counts) * Number(process.env['FIXPOINT_SHARE'] ?? 1));
}

interface Counts {
  readonly commit: number;
  readonly night: number;
  readonly release: number;
}

function chosen(counts: Counts): number {
  const name = process.env['FIXPOINT_BUDGET'] ?? 'commit';
  if (name === 'commit' || name === 'night' || name === 'release') return counts[name];
  throw new Error(`FIXPOINT_BUDGET=${name} is none of commit, night, release`);
}

/** The seed of a run: the budget's tests are the same each time, unless `FIXPOINT_SEED` gives another one. */
export const seed = (): number => Number(process.env['FIXPOINT_SEED'] ?? 20_261_121);

/**
 * Milliseconds of a processor that this process has used. What hangs uses it up; a machine that is busy with other work takes it away, and what is measured by a
 * clock seems to hang then.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Time that a test of a budget may take before it counts as hung. */
export const patienceMs = (): number => chosen({ commit: 900_000, night: 7_200_000, release: 86_400_000 });
