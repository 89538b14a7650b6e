interface Changeset {
  readonly summary: string;
  readonly releases: readonly { readonly name: string }[];
}

/** Returns the changelog with a section for a new version. */
export function changelogWith(changelog: string, version: string, changesets: readonly Changeset[]): string;

export function withVersion(
  path: string,
  text: string,
  before: string,
  version: string,
  names: readonly string[],
): string;
