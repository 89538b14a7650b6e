/** What stands in the small files of a database of the format's first implementation. */

/** In the file `version` of each of its folders. */
export const EXISTING_FILES_VERSION = 'v0.19-file';

/** Its upload queue when nothing waits. Nothing ever leaves the device by it. */
export const EMPTY_QUEUE = { fileOperations: [], noLoaderOps: [], operations: [] } as const;
