/**
 * Packs all packages into the folder, and returns the paths of the archives by the names of the
 * packages. The unpacked files are in the folder `unpacked`.
 */
export function packAll(folder?: string): Readonly<Record<string, string>>;
