/** Opens an SQLite file with the driver `libsql` or `node:sqlite`. */
export async function openSqlite(driver, file) {
  if (driver === 'libsql') {
    const { default: Sqlite } = await import('libsql');
    return new Sqlite(file);
  }
  const { DatabaseSync } = await import('node:sqlite');
  return new DatabaseSync(file);
}
