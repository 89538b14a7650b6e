import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../admin/admin.fixture.ts';
import { testDatabaseKind } from '../postgres.fixture.ts';

test('has an index for each column by which rows of applications are removed', async () => {
  const db = await openTestDatabase();
  const { rows } = await (testDatabaseKind === 'sqlite'
    ? sql<{ text: string }>`select sql as text from sqlite_master where type = 'index' and sql is not null`
    : sql<{ text: string }>`select indexdef as text from pg_indexes where schemaname = 'public'`
  ).execute(db);
  const indexed = rows.map(({ text }) => text.replaceAll(/["\s]/g, '')).join('\n');
  for (const [table, column] of [
    ['ApplicationGrants', 'applicationId'],
    ['ApplicationOrigins', 'applicationId'],
    ['ApplicationCodes', 'applicationId'],
    ['ApplicationCodes', 'userId'],
    ['ApplicationCodes', 'expiresAt'],
    ['ApplicationSessions', 'applicationId'],
    ['ApplicationSessions', 'userId'],
    ['ApplicationSessions', 'tenantId'],
    ['ApplicationSessions', 'expiresAt'],
  ])
    expect(indexed, `${table} ${column}`).toMatch(
      new RegExp(`on(public\\.)?${table}(usingbtree)?\\(${column}[,)]`, 'i'),
    );
});
