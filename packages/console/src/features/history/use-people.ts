import { useEffect, useMemo } from 'react';
import { useSession, useTenants } from '../../cloud/queries/use-cloud.ts';
import { LOADING_PEOPLE, NOBODY, type People } from '../../values/who-wrote.ts';

/** The key of the names that this browser knew last. They are forgotten when the session ends. */
const keyOf = (tenantId: string): string => `fixpoint:people:${tenantId}`;

/**
 * Returns the tenant's members by the ids of their accounts; nobody without a tenant. Until the
 * server answers, and while the browser is offline, returns the members that it named last. On a
 * first visit, nobody has been named yet.
 */
export function usePeople(tenantId: string | undefined): People {
  const { data: somebody, isError: isUnheard } = useSession();
  const { data: tenants, isError } = useTenants();
  const members = tenants?.find((tenant) => tenant.tenantId === tenantId)?.members;
  const people = useMemo(
    () =>
      members &&
      new Map(members.map(({ userId, name, email }) => [userId, { name: name ?? email ?? userId, email }])),
    [members],
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
