import { useEffect, useMemo } from 'react';
import { useSession, useTenants } from '../../cloud/queries/use-cloud.ts';
import { LOADING_PEOPLE, NOBODY, type People, peopleOf } from '../../values/who-wrote.ts';

/** The key of the names that this browser knew last. They are forgotten when the session ends. */
const keyOf = (tenantId: string): string => `fixpoint:people:${tenantId}`;

/**
 * Returns people of a tenant by the ids of their accounts; nobody without a tenant. Admins get all
 * members; everybody gets those who wrote to ledgers that they may read. Until the server answers,
 * and while the browser is offline, returns the people whom it named last. On a first visit, nobody
 * has been named yet.
 */
export function usePeople(tenantId: string | undefined): People {
  const { data: somebody, isError: isUnheard } = useSession();
  const { data: tenants, isError } = useTenants();
  const { members, writers } = tenants?.find((tenant) => tenant.tenantId === tenantId) ?? {};
  const people = useMemo(
    () => (members || writers) && peopleOf(members ?? [], writers ?? []),
    [members, writers],
  );
  useEffect(() => {
    if (tenantId !== undefined && people !== undefined) keep(tenantId, people);
  }, [tenantId, people]);
  const isAnswered = tenants !== undefined;
  const kept = useMemo(() => (isAnswered ? undefined : keptPeople(tenantId)), [isAnswered, tenantId]);
  const isLoading = !isAnswered && !isError && !isUnheard && somebody !== null && navigator.onLine;
  return people ?? kept ?? (isLoading && tenantId !== undefined ? LOADING_PEOPLE : NOBODY);
}

function keep(tenantId: string, people: People): void {
  try {
    localStorage.setItem(keyOf(tenantId), JSON.stringify([...people]));
  } catch {
    // Without storage, the names appear when the server answers.
  }
}

function keptPeople(tenantId: string | undefined): People | undefined {
  try {
    const text = tenantId === undefined ? null : localStorage.getItem(keyOf(tenantId));
    return text === null ? undefined : new Map(JSON.parse(text));
  } catch {
    return undefined;
  }
}
