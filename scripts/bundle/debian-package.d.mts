interface DebianOptions {
  /** Archive of the bundle. The package is written to the same folder. */
  readonly bundle: string;
  /** Whether the bundle contains Node; default: no. */
  readonly hasNode?: boolean;
  /** Version of the package; default: that of the bundle. */
  readonly version?: string;
  /** Compressor of `dpkg-deb`; default: `xz`. */
  readonly compression?: 'xz' | 'gzip' | 'none';
  /** Seconds since 1970 for all files; default: 0. */
  readonly time?: string;
}

/** Builds a Debian package from a bundle, and returns its path. Needs `dpkg-deb`. */
export function debianPackage(options: DebianOptions): string;
