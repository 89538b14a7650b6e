/** Parts of the cases that `npm run check` tries, so that it stays quick. */
const CHECKED = { simulated: 0.05, generated: 0.2 };

/**
 * Returns how many cases a test tries. `FIXPOINT_BUDGET` is `check` (the quick check), `commit`
 * (each run of all tests), `night` or `release` (docs/reliability.md). `FIXPOINT_SHARE`, from 0 to
 * 1, reduces the number for scripts that run the tests hundreds of times.
 */
export function budget(counts: Counts): number {
  return Math.ceil(chosen(counts) * Number(process.env['FIXPOINT_SHARE'] ?? 1));
}

/** Returns how many generated inputs a property is tried with, of `count` in a run of all tests. */
export const generated = (count: number): number =>
  Math.ceil(chosen({ commit: count, night: count, release: count }, CHECKED.generated));

/**
 * Options of a test that takes a few hundred milliseconds or more, because its input is large or it
 * derives a key from a passphrase. `npm run check` skips it, and all other runs include it.
 */
export const long = { skip: process.env['FIXPOINT_BUDGET'] === 'check' };

interface Counts {
  readonly commit: number;
  readonly night: number;
  readonly release: number;
}

function chosen(counts: Counts, checked = CHECKED.simulated): number {
  const name = process.env['FIXPOINT_BUDGET'] ?? 'commit';
  if (name === 'check') return counts.commit * checked;
  if (name === 'commit' || name === 'night' || name === 'release') return counts[name];
  throw new Error(`FIXPOINT_BUDGET=${name} is none of check, commit, night, release`);
}

/** Returns the seed of a run. Each run tries the same inputs, unless `FIXPOINT_SEED` is set. */
export const seed = (): number => Number(process.env['FIXPOINT_SEED'] ?? 20_261_121);

/**
 * Returns the processor time that this process has used, in milliseconds. A test that hangs in a
 * loop uses processor time. If tests measured elapsed time, slow work on a busy machine would look
 * like a hang.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Returns how long a test of this budget may take before it counts as hung. */
export const patienceMs = (): number => chosen({ commit: 900_000, night: 7_200_000, release: 86_400_000 }, 1);
