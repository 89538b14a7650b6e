/** Installs the products that the benchmark compares with Fixpoint. */
export function ensurePeers(): void;
