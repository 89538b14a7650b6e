import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LIMITS } from './limits.ts';
import {
  ADMIN_PATH,
  CLOUD_SCHEME,
  RESERVED_DATABASES,
  SOCKET_PATH,
  STORAGE_PATH,
  SYNC_DATABASE,
} from './names.ts';
import { STORE_TYPES } from './storage/envelope.ts';
import { GATEWAY_VERSION, MESSAGE_VERSION } from './version.ts';

const packages = join(import.meta.dirname, '../..');
const sources = readdirSync(packages, { recursive: true, encoding: 'utf8' })
  .filter((path) => /^[a-z-]+\/src\/.*\.tsx?$/.test(path) && !/\.(test|fixture)\.tsx?$/.test(path))
  .map((path) => readFileSync(join(packages, path), 'utf8'))
  .join('\n');

describe('business constants and limits', () => {
  test('[9] sets each limit as the specification does', () => {
    expect(LIMITS).toMatchObject({
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
      chunkingThreshold: 30,
      signedUrlSecondsMax: 300,
    });
    expect([MESSAGE_VERSION, GATEWAY_VERSION]).toEqual(['FP-MSG-1.0', 'v0.1-fp-cloud']);
    expect([STORAGE_PATH, SOCKET_PATH, ADMIN_PATH, CLOUD_SCHEME]).toEqual(['/fp', '/ws', '/api', 'fpcloud']);
    expect(SYNC_DATABASE).toBe('fp_sync');
    expect(RESERVED_DATABASES).toContain('fp_sync');
    expect([...STORE_TYPES].sort()).toEqual(['car', 'file', 'meta', 'wal']);
  });

  test.each(Object.keys(LIMITS))('contains %s, which at least one source file uses', (name) => {
    expect(sources).toMatch(new RegExp(`LIMITS\\.${name}\\b`));
  });
});
