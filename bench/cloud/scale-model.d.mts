export interface SimulatedLoad {
  readonly gateways: number;
  /** One list for each ledger, of the gateway of each follower. */
  readonly followers: readonly (readonly number[])[];
  /** In order of time. */
  readonly commits: readonly { readonly atMs: number; readonly ledger: number }[];
  readonly seed?: number;
  readonly hintMs?: number;
  readonly lostHints?: number;
  readonly readMs?: number;
  /** The share of its time that the database works; undefined for reads that all take `readMs`. */
  readonly busy?: number;
  readonly sweepMs?: number;
  readonly pageRows?: number;
}

export interface Simulated {
  readonly commits: number;
  readonly hints: number;
  readonly reads: number;
  readonly rowsRead: number;
  readonly events: number;
  readonly rowsSent: number;
  readonly sweeps: number;
  readonly missing: number;
  readonly delayMs: { readonly median: number; readonly p99: number; readonly max: number };
}

export interface Needs {
  readonly people: number;
  readonly commits: number;
  readonly sockets: number;
  readonly gateways: number;
  readonly databases: number;
  readonly databaseCores: number;
  readonly followersOfCommit: number;
  readonly reads: number;
  readonly hints: number;
}

export function randomOf(seed: number): () => number;
export function simulate(load: SimulatedLoad): Simulated;
export function needs(people: number): Needs;
export function simulateNeeds(
  need: Needs,
  options?: Partial<Omit<SimulatedLoad, 'gateways' | 'followers' | 'commits'>> & {
    readonly seconds?: number;
  },
): Simulated;
