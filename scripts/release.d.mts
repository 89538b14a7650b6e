interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Returns what a release lacks. The first description is that of the workspace. */
export function problemsOf(
  manifests: readonly Manifest[],
  texts: { readonly changelog: string; readonly upgrading: string },
  how?: { readonly isDryRun?: boolean },
): string[];
/** Returns the names of packages, each after those that it depends on. */
export function publishingOrder(manifests: readonly Manifest[]): string[];
/** Returns the descriptions of the workspace and of all packages. */
export function manifestsHere(): Manifest[];
/** Publishes packed packages to npm, or only tries it. */
export function publish(
  archives: Readonly<Record<string, string>>,
  names: readonly string[],
  how: { readonly isDryRun: boolean; readonly hasProvenance: boolean },
): void;
