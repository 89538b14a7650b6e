/** Source files below `src`, by package and by the name of the bundled file. */
export const ENTRIES: Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The bundled server, below the root of the repository. */
export const SERVER: string;
