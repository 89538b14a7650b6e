/**
 * Builds the archive of the server, and returns its path. Call it after the build.
 * @param options.folder where the archive is written; default: `artefacts`
 * @param options.node a Node program that the archive contains; default: none
 */
export function bundleServer(options?: { readonly folder?: string; readonly node?: string }): string;
