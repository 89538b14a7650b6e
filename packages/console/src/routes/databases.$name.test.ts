import { expect, test } from 'vitest';
import { loader } from './databases.$name.tsx';

test('[8] reports a path without a database name', async () => {
  const request = new Request('http://localhost/fp/databases/');
  const asked = { request, params: {}, context: {} } as unknown as Parameters<typeof loader>[0];
  await expect(loader(asked)).rejects.toThrow('No database name provided');
});
