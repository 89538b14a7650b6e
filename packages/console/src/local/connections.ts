import { FixpointError, SYNC_DATABASE, sanitizeRemoteName } from '@fixpoint/protocol';
import { openLocal } from './databases.ts';

/** That a local database belongs to a remote name (spec §3). */
export interface Connection {
  readonly remoteName: string;
  readonly sanitizedRemoteName: string;
  readonly localName: string;
  readonly endpoint: string;
  readonly firstConnect: boolean;
}

/** Records a connection, once. @throws FixpointError REQUEST_INVALID without a local name */
export async function recordConnection(parameters: URLSearchParams): Promise<Connection> {
  const localName = parameters.get('localName') ?? '';
  if (localName === '') {
    const error = new FixpointError('REQUEST_INVALID');
    error.message = 'Local name is required';
    throw error;
  }
  const remoteName = parameters.get('remoteName') || localName;
  const sanitizedRemoteName = sanitizeRemoteName(remoteName);
  const known = await findConnection(sanitizedRemoteName);
  if (known?.localName === localName) return known;
  const connection = {
    remoteName,
    sanitizedRemoteName,
    localName,
    endpoint: parameters.get('endpoint') ?? '',
    firstConnect: true,
  };
  await openLocal(SYNC_DATABASE).put({ ...connection });
  return connection;
}

export async function findConnection(sanitizedRemoteName: string): Promise<Connection | undefined> {
  const { docs } = await openLocal(SYNC_DATABASE).query<Connection>('sanitizedRemoteName', {
    key: sanitizedRemoteName,
  });
  return docs?.at(-1);
}
