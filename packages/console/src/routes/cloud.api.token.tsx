import { useState } from 'react';
import { type LoaderFunctionArgs, redirect, useLoaderData } from 'react-router';
import { cloudToken, messageOf, queryClient, tenantsQuery, userQuery } from '../cloud/queries.ts';
import { handOffTarget } from '../cloud/redirects.ts';
import { sessionUser } from '../cloud/session.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { Card, ErrorPanel, PageHeader } from '../ui/feedback.tsx';

/** /fp/cloud/api/token: hands a cloud token to the application that asked for one (spec §2), at an address that may have it. */
export async function loader({ request }: LoaderFunctionArgs) {
  const url = new URL(request.url);
  if ((await sessionUser()) === undefined)
    return redirect(`/login?redirect_url=${encodeURIComponent(url.pathname + url.search)}`);
  const target = handOffTarget(url.searchParams.get('back_url'), location.origin);
  if (target === undefined)
    return { problem: 'The address to go back to (back_url) is missing or is no http or https address.' };
  await queryClient.ensureQueryData(userQuery);
  const tenants = await queryClient.ensureQueryData(tenantsQuery);
  const tenant = url.searchParams.get('tenant') ?? tenants[0]?.tenantId;
  if (tenant === undefined) return { problem: 'You have no tenant yet: create one, then try again.' };
  const ledger = url.searchParams.get('ledger') ?? undefined;
  if (target.trusted) {
    await handOver(target.url, tenant, ledger);
    return { leaving: target.url.origin };
  }
  return { confirm: target.url.href, tenant, ledger };
}

/** Sends the browser to the application, with the token in `fpToken`. */
async function handOver(target: URL, tenant: string, ledger: string | undefined): Promise<void> {
  target.searchParams.set('fpToken', await cloudToken({ tenant, ...(ledger && { ledger }) }));
  location.replace(target);
}

type Loaded = { problem?: string; leaving?: string; confirm?: string; tenant?: string; ledger?: string };

export function Component() {
  const { problem, leaving, confirm, tenant = '', ledger } = useLoaderData<Loaded>();
  const [failed, setFailed] = useState<string | undefined>();
  const accept = (address: string) =>
    handOver(new URL(address), tenant, ledger).catch((error) => setFailed(messageOf(error)));
  return (
    <main className="mx-auto max-w-lg p-6">
      <title>Hand over a token · Fixpoint</title>
      <PageHeader title="Hand over a token" />
      <Card>
        {problem !== undefined && <ErrorPanel message={problem} />}
        {failed !== undefined && <ErrorPanel message={failed} />}
        {leaving !== undefined && <p role="status">Going back to {leaving} ...</p>}
        {confirm !== undefined && (
          <>
            <p className="mb-4">
              The site <strong className="break-all">{new URL(confirm).origin}</strong> asks for a token with
              which it can read and write databases of your tenant for an hour. Go on only if you came from
              there and trust it.
            </p>
            <div className="flex gap-2">
              <Button tone="primary" onClick={() => void accept(confirm)}>
                Hand it over
              </Button>
              <LinkButton to="/fp/cloud">Cancel</LinkButton>
            </div>
          </>
        )}
      </Card>
    </main>
  );
}
