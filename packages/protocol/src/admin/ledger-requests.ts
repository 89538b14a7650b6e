/** Requests about ledgers, and about their shares. */
import * as v from 'valibot';
import { defineRequest } from './define-request.ts';
import { fields } from './field-schemas.ts';
import * as shapes from './shapes.ts';

const ledgerIds = fields({ ledgerId: shapes.id, tenantId: shapes.id });
type LedgerIds = v.InferInput<typeof ledgerIds>;
const newLedger = fields({
  tenantId: shapes.id,
  name: shapes.ledgerName,
  kind: v.optional(shapes.ledgerKind),
  /**
   * Fixpoint extension: a ledger of the tenant that the new one will replace. The same people get
   * the same rights in the new ledger.
   */
  successorOf: v.optional(shapes.id),
});
const renamedLedger = fields({ ledgerId: shapes.id, tenantId: shapes.id, name: shapes.ledgerName });

export const ledgerRequests = {
  /**
   * LIMIT_REACHED above the tenant's `maxLedgers` (5, spec §9), CONFLICT for a name that the tenant
   * already uses.
   */
  reqCreateLedger: defineRequest({
    summary: 'Create a database',
    description: 'Creates a database in a tenant. For its admins. A tenant can have five.',
    requires: 'ledger:create',
    token: 'admin',
    audited: 'created a database',
    payload: { ledger: newLedger },
    answer: { ledger: shapes.ledger },
    ask: (ledger: v.InferInput<typeof newLedger>) => ({ ledger }),
    take: ({ ledger }) => ledger,
  }),
  /** CONFLICT for a name that the tenant already uses. */
  reqUpdateLedger: defineRequest({
    summary: 'Rename a database',
    description: 'Renames a database. For admins of its tenant.',
    requires: 'ledger:update',
    token: 'admin',
    audited: 'renamed a database',
    payload: { ledger: renamedLedger },
    answer: { ledger: shapes.ledger },
    ask: (ledger: v.InferInput<typeof renamedLedger>) => ({ ledger }),
    take: ({ ledger }) => ledger,
  }),
  /**
   * Fixpoint extension. NOT_FOUND for a successor in another tenant, CONFLICT for one that moved
   * itself.
   */
  reqMoveLedger: defineRequest({
    summary: 'Name the successor of a database',
    description:
      'Says that a database moved to another one of the same tenant, or takes this back. Moves no documents. For admins of the tenant.',
    requires: 'ledger:move',
    token: 'admin',
    audited: 'changed the successor of a database',
    payload: {
      ledger: ledgerIds,
      /** The id of the successor; null undoes the move. */
      movedTo: v.nullable(shapes.id),
    },
    answer: { ledger: shapes.ledger },
    ask: (ledger: LedgerIds, movedTo: string | null) => ({ ledger, movedTo }),
    take: ({ ledger }) => ledger,
  }),
  reqDeleteLedger: defineRequest({
    summary: 'Delete a database',
    description:
      'Deletes a database with its documents and files. For admins of its tenant. This can’t be undone.',
    requires: 'ledger:delete',
    token: 'admin',
    audited: 'deleted a database',
    payload: { ledger: ledgerIds },
    answer: { ledgerId: v.string() },
    ask: (ledger: LedgerIds) => ({ ledger }),
    take: ({ ledgerId }) => ledgerId,
  }),
  reqListLedgersByUser: defineRequest({
    summary: 'List databases',
    description: 'Lists the databases that the caller may read, in all tenants or in some.',
    requires: 'user:active',
    handlerChecks: 'self',
    token: 'read',
    // Programs that set rights in databases list these databases.
    forUsers: true,
    audited: false,
    payload: { tenantIds: v.optional(shapes.ids), ...shapes.page },
    answer: { userId: v.string(), ledgers: v.array(shapes.ledger), next: shapes.next },
    ask: (tenantIds?: string[]) => (tenantIds === undefined ? {} : { tenantIds }),
    take: ({ ledgers }) => ledgers,
  }),
  /**
   * Fixpoint extension. LIMIT_REACHED above the ledger's `maxShares` (5, spec §9), NOT_FOUND for
   * somebody outside the tenant: invite them instead.
   */
  reqShareLedger: defineRequest({
    summary: 'Share a database',
    description:
      'Grants a user of the tenant a right in one database, or changes it. For admins of the tenant.',
    requires: 'ledger:share',
    token: 'admin',
    audited: 'shared a database',
    payload: {
      ledger: ledgerIds,
      userId: shapes.id,
      /** Default: `read`. */
      right: v.optional(shapes.right),
    },
    answer: { ledgerId: v.string(), share: shapes.share },
    take: ({ share }) => share,
  }),
  /**
   * Fixpoint extension. The user can't be an admin of the tenant (CONFLICT). A guest without any
   * other share leaves the tenant.
   */
  reqUnshareLedger: defineRequest({
    summary: 'End a share',
    description: 'Ends a user’s access to a database. For admins of its tenant.',
    requires: 'ledger:share',
    token: 'admin',
    audited: 'revoked access to a database',
    payload: { ledger: ledgerIds, userId: shapes.id },
    answer: { ledgerId: v.string(), userId: v.string() },
    take: ({ userId }) => userId,
  }),
  /** Fixpoint extension. */
  reqListShares: defineRequest({
    summary: 'List shares',
    description:
      'Lists the users a database is shared with and, on the first page, its invites. For admins of its tenant.',
    requires: 'ledger:share',
    token: 'admin',
    audited: false,
    payload: {
      ledger: ledgerIds,
      /**
       * Includes ended shares, marked by `status`. They distinguish a member whose share was ended
       * from one who never had a share.
       */
      ended: v.optional(v.boolean()),
      ...shapes.page,
    },
    answer: {
      ledgerId: v.string(),
      maxShares: v.number(),
      shares: v.array(shapes.share),
      /** Sent with the first page only. */
      tickets: v.array(shapes.invite),
      next: shapes.next,
    },
    ask: (ledger: LedgerIds, ended?: boolean) => (ended ? { ledger, ended } : { ledger }),
  }),
} as const;
