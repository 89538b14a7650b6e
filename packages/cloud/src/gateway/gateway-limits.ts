/** Rate limits of the gateway. */
import type { Bucket } from '../limits/bucket.ts';

export { type Bucket, createBucket, type Rate } from '../limits/bucket.ts';

export interface GatewayLimits {
  readonly ofUser: Bucket;
  readonly ofAddress: Bucket;
  /** Sockets that an address opens. */
  readonly connects: Bucket;
  /** Objects that a user reports as faulty: each is read in full. */
  readonly reports: Bucket;
}
