/**
 * Business constants and limits of spec §9. Sizes in bytes, times in milliseconds unless the name
 * says otherwise.
 */
export const LIMITS = {
  tenantsPerUserMax: 5,
  adminUsersPerTenantMax: 5,
  memberUsersPerTenantMax: 5,
  invitesPerTenantMax: 10,
  ledgersPerTenantMax: 5,
  sharesPerLedgerMax: 5,
  ledgerNameCharsMin: 3,
  sidebarNameCharsMax: 20,
  headerNameCharsMax: 12,
  messageTimeoutMs: 3000,
  pollIntervalMs: 1000,
  docKeyBytesMax: 4096,
  archiveBytesThreshold: 1_000_000,
  archiveGroupsMax: 100,
  uploadRetriesMax: 5,
  uploadsParallelMax: 3,
  retryFirstDelayMs: 50,
  archiveReadersMax: 5,
  /** Maximum number of open archives to keep in memory. */
  archivesKeptMax: 1000,
  chunkingThreshold: 30,
  signedUrlSecondsMax: 300,
  inviteDaysUntilExpiry: 7,
  mailsPerInviteMax: 5,
  apiTokensPerTenantMax: 20,
  bindingsPerAppMax: 10,
  /** Longer files are stored, sent and fetched in blocks of this size. */
  fileBlockBytesMax: 4_000_000,
  fileBytesMax: 4_000_000_000,
  filesPerDocumentMax: 1000,
  /** Maximum size of a stored object: an archive with documents, or a block of a file. */
  objectBytesMax: 64_000_000,
} as const;
