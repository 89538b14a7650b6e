import { join } from 'node:path';
import type { BucketConfig } from './bucket.ts';
import { openDiskObjects } from './disk-objects.ts';
import { openS3Objects } from './s3-objects.ts';
import { sealedKeyOf } from './sealed-key.ts';
import type { StoredObjects } from './stored-objects.ts';

/**
 * Opens the object store: a bucket, or files of the data folder.
 * @throws FixpointError CONFIG_INVALID
 */
export const openObjects = (
  bucket: BucketConfig | undefined,
  data: string,
  now: () => number,
): Promise<StoredObjects> =>
  bucket === undefined
    ? openDiskObjects(join(data, 'objects'), sealedKeyOf, now)
    : openS3Objects(bucket, join(data, 'uploads'), sealedKeyOf, now);
