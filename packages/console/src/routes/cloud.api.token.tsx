/** /fp/cloud/api/token: hands a cloud token to the application that asked for one (spec §2), at an address that may have it. */
import type { AdminClient } from '@fixpoint/protocol/admin';
import { useState } from 'react';
import { type LoaderFunctionArgs, replace, useLoaderData } from 'react-router';
import { type App, app, useApp } from '../cloud/app.ts';
import { failureText } from '../cloud/failure-text.ts';
import { prepareHandOff, takeHandOff } from '../cloud/hand-off.ts';
import { answerOf, tenantQueries } from '../cloud/queries.ts';
import { handOffTarget } from '../cloud/redirects.ts';
import { tenantLabel } from '../cloud/tenant-label.ts';
import { ChooseDatabase, type ChooseDatabaseProps } from '../features/hand-off/choose-database.tsx';
import { placesFor } from '../features/hand-off/places.ts';
import { TokenQuestion } from '../features/hand-off/token-question.tsx';
import { Button, LinkButton } from '../ui/button.tsx';
import { ErrorPanel, Skeleton } from '../ui/feedback.tsx';
import { Logo } from '../ui/logo.tsx';
import { PageHeader } from '../ui/page.tsx';
import { useVisit } from '../ui/visit.ts';

/** What the server takes as one. */
const RESULT_ID = /^.{8,128}$/;

interface Asked {
  readonly back: string;
  readonly tenantId: string;
  readonly tenantName: string;
  readonly ledgerId: string | undefined;
}

type Loaded =
  | { readonly problem: string }
  | { readonly leaving: string }
  | { readonly confirm: Asked }
  | { readonly choose: ChooseDatabaseProps };

export async function loader({ request, context }: LoaderFunctionArgs): Promise<Loaded | Response> {
  const url = new URL(request.url);
  if (url.searchParams.has('token')) {
    url.searchParams.delete('token');
    return replace(url.pathname + url.search);
  }
  const resultId = url.searchParams.get('result_id');
  if (resultId !== null) return choiceFor(resultId, url.searchParams, context.get(app));
  const target = handOffTarget(url.searchParams.get('back_url'), location.origin);
  if (target === undefined)
    return {
      problem: 'The address to go back to (back_url) is missing or is no plain http or https address.',
    };
  const prepared = takeHandOff(target.url);
  if (prepared !== undefined) {
    location.replace(prepared);
    return { leaving: prepared.origin };
  }
  const { api, queries } = context.get(app);
  const tenants = await queries.ensureQueryData(tenantQueries.list(api));
  const wanted = url.searchParams.get('tenant');
  const tenant = tenants.find(({ tenantId }) => wanted === null || tenantId === wanted);
  if (tenant === undefined)
    return { problem: wanted === null ? 'You have no tenant yet.' : 'You are in no tenant with this id.' };
  const asked: Asked = {
    back: target.url.href,
    tenantId: tenant.tenantId,
    tenantName: tenantLabel(tenant),
    ledgerId: url.searchParams.get('ledger') ?? undefined,
  };
  if (!target.trusted) return { confirm: asked };
  return replace(prepare(await tokenFor(api, asked), asked, url));
}

/** Existing clients open this page beside their own, and fetch the token by an id that they made up (`reqTokenByResultId`): no address ever holds it. */
async function choiceFor(resultId: string, query: URLSearchParams, { api, queries }: App): Promise<Loaded> {
  if (!RESULT_ID.test(resultId)) return { problem: 'Invalid result_id' };
  const tenants = await queries.ensureQueryData(tenantQueries.list(api));
  const wish = {
    tenant: query.get('tenant'),
    ledger: query.get('ledger'),
    localName: query.get('local_ledger_name'),
  };
  const places = placesFor(tenants, await answerOf(api.listLedgersByUser()), wish);
  if (places.length === 0)
    return { problem: 'You have no database yet. Create one, then let the application ask again.' };
  return {
    choose: { resultId, from: handOffTarget(query.get('back_url'), location.origin)?.url.origin, places },
  };
}

function tokenFor(api: AdminClient, { tenantId, ledgerId }: Asked): Promise<string> {
  const selected = { tenant: tenantId, ...(ledgerId && { ledger: ledgerId }) };
  return answerOf(api.cloudSessionToken({ selected }));
}

/** Makes the token ready, and gives the address of this page that says so. */
function prepare(token: string, { back }: Asked, page: URL): string {
  prepareHandOff(new URL(back), token);
  const next = new URL(page);
  next.searchParams.set('token', 'ready');
  return next.pathname + next.search;
}

export function Component() {
  const loaded = useLoaderData<Loaded>();
  return (
    <main className="mx-auto flex min-h-full max-w-lg flex-col justify-center p-6">
      <title>Hand over a token · Fixpoint</title>
      <div className="mb-6 flex items-center gap-2 font-semibold tracking-tight">
        <Logo /> Fixpoint
      </div>
      <PageHeader title="Hand over a token" />
      {'problem' in loaded && (
        <ErrorPanel message={loaded.problem}>
          <LinkButton to="/fp/cloud">Cloud home</LinkButton>
        </ErrorPanel>
      )}
      {'leaving' in loaded && <Skeleton text={`Going back to ${loaded.leaving} ...`} />}
      {'confirm' in loaded && <Confirm asked={loaded.confirm} />}
      {'choose' in loaded && <ChooseDatabase {...loaded.choose} />}
    </main>
  );
}

function Confirm({ asked }: { asked: Asked }) {
  const { api } = useApp();
  const begin = useVisit();
  const [failed, setFailed] = useState<string | undefined>();
  const [isBusy, setBusy] = useState(false);
  const accept = async () => {
    const visit = begin();
    setBusy(true);
    try {
      const token = await tokenFor(api, asked);
      // Who thought better of it while the token was on its way hands nothing over.
      if (visit.isOver()) return;
      await visit.leadTo(prepare(token, asked, new URL(location.href)), { replace: true });
    } catch (error) {
      setFailed(failureText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <TokenQuestion>
      <p>
        The site <strong className="font-semibold wrap-anywhere">{new URL(asked.back).origin}</strong> asks
        for a token. With it, it can read and write the databases of{' '}
        <strong className="font-semibold break-words">{asked.tenantName}</strong> for an hour.
      </p>
      <p className="text-muted">Go on only if you came from this site and trust it.</p>
      {failed !== undefined && <ErrorPanel message={failed} />}
      <div className="flex flex-wrap gap-2">
        <Button tone="primary" disabled={isBusy} onClick={() => void accept()}>
          Hand it over
        </Button>
        <LinkButton to="/fp/cloud">Cancel</LinkButton>
      </div>
    </TokenQuestion>
  );
}
