import type { Handlers } from './handler.ts';
import { apiTokenHandlers } from './requests/api-token-handlers.ts';
import { cloudTokenHandlers } from './requests/cloud-token-handlers.ts';
import { ensureCloudTokenHandler } from './requests/ensure-cloud-token.ts';
import { inviteHandlers } from './requests/invite-handlers.ts';
import { inviteUserHandler } from './requests/invite-user.ts';
import { ledgerHandlers } from './requests/ledger-handlers.ts';
import { loginHandlers } from './requests/login-handlers.ts';
import { membershipHandlers } from './requests/membership-handlers.ts';
import { shareHandlers } from './requests/share-handlers.ts';
import { tenantHandlers } from './requests/tenant-handlers.ts';
import { userHandlers } from './requests/user-handlers.ts';

/** The handlers of all requests. */
export const HANDLERS: Handlers = {
  ...tenantHandlers,
  ...userHandlers,
  ...membershipHandlers,
  ...inviteHandlers,
  ...inviteUserHandler,
  ...ledgerHandlers,
  ...shareHandlers,
  ...cloudTokenHandlers,
  ...ensureCloudTokenHandler,
  ...apiTokenHandlers,
  ...loginHandlers,
};
