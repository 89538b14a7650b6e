/**
 * Returns the path of an installed program, or of one in a cache, where this function unpacks its
 * Debian package. Undefined if Debian isn't available.
 * @param packageName Debian package
 * @param path path of the program in the package, such as `usr/sbin/nginx`
 */
export function debianProgram(packageName: string, path: string): string | undefined;
