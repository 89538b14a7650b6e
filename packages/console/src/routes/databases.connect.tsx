import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  redirect,
  replace,
  useActionData,
  useLoaderData,
  useLocation,
} from 'react-router';
import { app } from '../cloud/app.ts';
import { knownKind } from '../cloud/ledgers/known-kinds.ts';
import { newLedger } from '../cloud/ledgers/new-ledger.ts';
import { restoreLastKnown } from '../cloud/queries/last-known.ts';
import { answerOf, ledgerQueries, sessionQuery } from '../cloud/queries/queries.ts';
import { AGREED, CONNECT_PATH } from '../features/connect/address-form.tsx';
import { ConnectForm } from '../features/connect/connect-form.tsx';
import { isReturn, takeReturn } from '../features/connect/other-servers/hand-over.ts';
import { ledgerKindIn } from '../features/keys/kinds/ledger-kinds.ts';
import { ledgerNameProblem } from '../features/ledgers/ledger-name.ts';
import { agreeTo } from '../local/agreed-endpoints.ts';
import { confirmConnection, takeConfirmed } from '../local/confirmed-connection.ts';
import {
  type Connection,
  connectionFrom,
  listConnections,
  recordConnection,
  sharedBy,
} from '../local/connections.ts';
import { listedName, visibleNames } from '../local/database-names.ts';
import { connectedPath } from '../local/database-path.ts';
import { createLocal, storageNames } from '../local/databases.ts';
import { endpointHere } from '../local/endpoint.ts';
import { textOf } from '../ui/forms/form.tsx';
import { failureText } from '../ui/text/failure-text.ts';

/** Why the console didn't use a token. Kept in memory, because the address must not contain it. */
let refusedReturn: string | undefined;

/** Records the connection in the address, and redirects to the connected database. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  if (isReturn(searchParams)) {
    const { queries, session } = context.get(app);
    // While this server is unreachable, the user is the one who was signed in, as on all pages.
    const user = await queries.ensureQueryData(sessionQuery(session)).catch(() => restoreLastKnown(queries));
    const back = takeReturn(searchParams, user?.email ?? null);
    refusedReturn = 'problem' in back ? back.problem : undefined;
    return replace('problem' in back ? CONNECT_PATH : `${CONNECT_PATH}?${back}`);
  }
  const refused = refusedReturn;
  refusedReturn = undefined;
  if (refused !== undefined) return data({ refused }, { status: 400 });
  const asked = connectionFrom(searchParams);
  if ('error' in asked) return data(asked, { status: 400 });
  const { shares = false, email } = takeConfirmed(asked);
  try {
    if (!shares) {
      const shared = await sharedWith(asked);
      if (shared !== undefined) return data({ shared }, { status: 409 });
    }
    await createLocal(listedName(asked.localName));
    await recordConnection(asked);
    if (email !== undefined) agreeTo(asked.localName, asked.endpoint, email);
  } catch (cause) {
    return data({ error: failureText(cause) }, { status: 400 });
  }
  return redirect(connectedPath(asked));
}

async function sharedWith(asked: Connection): Promise<string | undefined> {
  const existing = visibleNames((await storageNames()) ?? []);
  return sharedBy(asked, await listConnections(), existing);
}

interface Failed {
  readonly error?: string;
  readonly shared?: string;
  /** The submitted connection, which the form shows again. */
  readonly given: string;
}

/**
 * Creates the ledger of a new connection if necessary, and goes on to this page's address with the
 * complete endpoint.
 */
export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const [tenantId, ledger, localName] = [
    textOf(form, 'tenant'),
    textOf(form, 'ledger'),
    textOf(form, 'localName'),
  ];
  const { api, queries, session } = context.get(app);
  const address = (remoteName: string, ledgerId: string) => {
    const endpoint = endpointHere({ tenantId, ledgerId });
    return new URLSearchParams({ localName, remoteName, endpoint });
  };
  const failed = (why: Omit<Failed, 'given'>, status: number) => {
    const parameters = address(textOf(form, 'remoteName'), ledger === '' ? 'new' : ledger);
    if (ledger === '') parameters.delete('endpoint');
    return data<Failed>({ ...why, given: parameters.toString() }, { status });
  };
  try {
    const ledgers = await queries.fetchQuery(ledgerQueries.list(api, tenantId));
    const existing = ledgers.find(({ ledgerId }) => ledgerId === ledger);
    const name = existing?.name ?? textOf(form, 'ledgerName');
    const remoteName = textOf(form, 'remoteName') || name;
    const asked = connectionFrom(address(remoteName, existing?.ledgerId ?? 'new'));
    if ('error' in asked) return failed(asked, 400);
    const problem = existing === undefined ? ledgerNameProblem(name) : undefined;
    if (problem !== undefined) return failed({ error: problem }, 400);
    // Asks before it creates a ledger that the connection may not use.
    const shared = form.has(AGREED) ? undefined : await sharedWith(asked);
    if (shared !== undefined) return failed({ shared }, 409);
    const kind = ledgerKindIn(textOf(form, 'kind'));
    let ledgerId = existing?.ledgerId;
    if (existing !== undefined) knownKind(existing);
    else {
      const created = await answerOf(newLedger({ api, queries }, { tenantId, name, kind }));
      ledgerId = created.ledgerId;
    }
    const parameters = address(remoteName, ledgerId ?? '');
    const made = connectionFrom(parameters);
    const email = (await queries.ensureQueryData(sessionQuery(session)))?.email;
    if (!('error' in made)) confirmConnection(made, { shares: true, email });
    return redirect(`${CONNECT_PATH}?${parameters}`);
  } catch (cause) {
    return failed({ error: failureText(cause) }, 400);
  }
}

/** /fp/databases/connect?localName=&remoteName=&endpoint= */
export function Component() {
  const found: { error?: string; shared?: string; refused?: string } = useLoaderData<typeof loader>();
  const failed = useActionData<typeof action>();
  const { search } = useLocation();
  // Without parameters, nobody has entered anything yet.
  const isFresh = search === '';
  return (
    <>
      <title>Connect · Fixpoint</title>
      <ConnectForm
        // The form shows what was submitted.
        key={failed?.given}
        given={new URLSearchParams(failed?.given ?? search)}
        error={failed === undefined ? (found.refused ?? (isFresh ? undefined : found.error)) : failed.error}
        shared={failed === undefined ? found.shared : failed.shared}
      />
    </>
  );
}
