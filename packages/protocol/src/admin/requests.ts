/** Requests of the admin API by type (spec §7): the single table that client and server use. */
import * as v from 'valibot';
import { apiTokenRequests } from './api-token-requests.ts';
import { applicationRequests } from './application-requests.ts';
import { applicationSessionRequests } from './application-session-requests.ts';
import { applicationUserRequests } from './application-user-requests.ts';
import { cloudTokenRequests } from './cloud-token-requests.ts';
import { inviteRequests } from './invite-requests.ts';
import { ledgerRequests } from './ledger-requests.ts';
import { loginRequests } from './login-requests.ts';
import { operatorRequests } from './operator-requests.ts';
import { tenantRequests } from './tenant-requests.ts';
import { userRequests } from './user-requests.ts';

export const REQUESTS = {
  ...userRequests,
  ...tenantRequests,
  ...inviteRequests,
  ...ledgerRequests,
  ...cloudTokenRequests,
  ...apiTokenRequests,
  ...applicationRequests,
  ...applicationUserRequests,
  ...applicationSessionRequests,
  ...loginRequests,
  ...operatorRequests,
} as const;

type Requests = typeof REQUESTS;
export type RequestType = keyof Requests;
export type Payload<T extends RequestType> = v.InferInput<Requests[T]['payload']>;
export type CleanPayload<T extends RequestType> = v.InferOutput<Requests[T]['payload']>;
export type Answer<T extends RequestType> = v.InferOutput<Requests[T]['answer']>;
/** The caller that requests of this type need. */
export type RequirementOf<T extends RequestType> = Requests[T]['requires'];

export const isRequestType = (type: unknown): type is RequestType =>
  typeof type === 'string' && Object.hasOwn(REQUESTS, type);

/**
 * Returns whether the request needs no `auth`, because its payload is the secret or it starts a
 * sign-in.
 */
export const isPublicRequest = (type: RequestType): boolean => REQUESTS[type].requires === 'nobody';

export const answerTypeOf = (type: RequestType): string => type.replace(/^req/, 'res');

/**
 * Parses the answer to a request.
 * @throws ValiError
 */
export const parseAnswer = <T extends RequestType>(type: T, answer: unknown): Answer<T> =>
  v.parse(REQUESTS[type].answer as v.GenericSchema<unknown, Answer<T>>, answer);
