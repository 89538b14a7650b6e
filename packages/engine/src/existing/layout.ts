/** Content of the small files of a database of the format's first implementation. */

/** Content of the file `version` in each folder of such a database. */
export const EXISTING_FILES_VERSION = 'v0.19-file';

/** The empty upload queue of that implementation. */
export const EMPTY_QUEUE = { fileOperations: [], noLoaderOps: [], operations: [] } as const;
