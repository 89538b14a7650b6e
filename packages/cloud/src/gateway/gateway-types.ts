import type { Endpoints, RequestOf, StorageRequest } from '@fixpoint/protocol/storage';
import type { HintBus } from '../bus/hint-bus.ts';
import type { Bucket } from '../limits/token-bucket.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { GatewayWatch } from '../observe/gateway-watch.ts';
import type { LedgerRights } from '../rights/rights.ts';
import type { Db } from '../tables/connection.ts';
import type { Traffic } from '../tables/operators/traffic.ts';
import type { CloudClaims, CloudTokens } from '../tokens/cloud-tokens.ts';
import type { Binding, Carrier } from './carriers/carrier.ts';
import type { Presence } from './content/presence.ts';
import type { Listings } from './following/listings.ts';
import type { Polls } from './following/polls.ts';
import type { Presence as PresenceRooms } from './presence/rooms.ts';

/** Rate limits of the gateway. */
export interface GatewayLimits {
  readonly ofUser: Bucket;
  readonly ofAddress: Bucket;
  /** Limits the sockets that an address opens. */
  readonly connects: Bucket;
  /** Limits the objects that a user reports as faulty, because the gateway reads each in full. */
  readonly reports: Bucket;
  /**
   * Limits the puts of a user that contain new entries of a membership log, because the gateway
   * checks up to 256 signatures for each.
   */
  readonly logPuts: Bucket;
  /** Limits the messages of a user about presence. They don't count as other messages. */
  readonly presence: Bucket;
}

export interface GatewayParts {
  readonly db: Db;
  readonly tokens: CloudTokens;
  readonly rights: LedgerRights;
  readonly objects: ObjectStore;
  readonly presence: Presence;
  readonly listings: Listings;
  readonly bus: HintBus;
  readonly polls: Polls;
  readonly rooms: PresenceRooms;
  readonly traffic: Pick<Traffic, 'count'>;
  readonly now: () => number;
  /** Receives errors that can't be reported in an answer. */
  readonly report: (error: unknown) => void;
  readonly limits: GatewayLimits;
  /** Whether admins may start membership logs. The rules for existing logs always apply. */
  readonly startsLogs: boolean;
  readonly watch: GatewayWatch;
  /** The URLs of the gateway. */
  readonly endpoints: Endpoints;
}

/** One request, after its shape, token and connection were checked. */
export interface Call<T extends StorageRequest['type']> {
  readonly parts: GatewayParts;
  readonly request: RequestOf<T>;
  readonly claims: CloudClaims;
  readonly carrier: Carrier;
}

/** A message to a client. */
export type Answer = Readonly<Record<string, unknown>> & { readonly type: string; readonly tid: string };

export interface Handled {
  readonly answer: Answer;
  /** The subscription that starts once the answer is sent. */
  readonly follow?: Binding;
}

export type Handler<T extends StorageRequest['type']> = (call: Call<T>) => Promise<Handled>;
