/**
 * /fp/cloud/api/token: hands a cloud token to the app that requested one (spec §2), at an address
 * that may receive tokens.
 */
import type { AdminClient } from '@fixpoint/protocol/admin';
import { type LoaderFunctionArgs, replace, useLoaderData } from 'react-router';
import { type App, app, useApp } from '../cloud/app.ts';
import { answerOf, cloudToken, sessionQuery, tenantQueries } from '../cloud/queries/queries.ts';
import { handOffTarget } from '../cloud/sign-in/redirects.ts';
import { agree, agreedWith, prepareHandOff, takeHandOff } from '../cloud/sign-in/token-hand-offs.ts';
import { ChooseDatabase, type ChosenPlace } from '../features/hand-off/choose-database.tsx';
import { isPlace, type Place, placesFor, type Wish } from '../features/hand-off/places.ts';
import { UnderResultId, type UnderResultIdProps } from '../features/hand-off/under-result-id.tsx';
import { StandalonePage } from '../features/layout/standalone-page.tsx';
import { useVisit } from '../leaving/visit.ts';
import { LinkButton } from '../ui/button.tsx';
import { ErrorPanel, Skeleton } from '../ui/pages/feedback.tsx';

/** The format that the server accepts. */
const RESULT_ID = /^.{8,128}$/;
const STATE_CHARS_MAX = 512;

interface Asked {
  /** The address that receives the token. */
  readonly back: string;
  /** The email address of the user whom the page asks. */
  readonly user: string;
  readonly places: readonly Place[];
}

type Loaded =
  | { readonly problem: string }
  | { readonly leaving: string }
  | { readonly confirm: Asked }
  | { readonly choose: UnderResultIdProps };

const NO_DATABASE = 'You have no database yet. Create one, then start again from the app.';

export async function loader({ request, context }: LoaderFunctionArgs): Promise<Loaded | Response> {
  const url = new URL(request.url);
  const { searchParams: query } = url;
  if (query.has('token')) {
    query.delete('token');
    return replace(url.pathname + url.search);
  }
  const parts = context.get(app);
  const resultId = query.get('result_id');
  if (resultId !== null) return choiceFor(resultId, query, parts);
  const back = backUrlOf(query);
  if (back === undefined)
    return {
      problem:
        'The return address (back_url) is missing, isn’t a plain http or https address, or belongs to Fixpoint itself. Start again from the app.',
    };
  const prepared = takeHandOff(back);
  if (prepared !== undefined) {
    location.replace(prepared);
    return { leaving: prepared.origin };
  }
  const { api, queries, session } = parts;
  const tenants = await queries.ensureQueryData(tenantQueries.list(api));
  const wish = wishOf(query);
  if (tenants.length === 0)
    return { problem: 'You have no tenant yet. Create one, then start again from the app.' };
  if (wish.tenant !== null && tenants.every(({ tenantId }) => tenantId !== wish.tenant))
    return {
      problem: 'You aren’t a member of the tenant that the app asks for. Choose another tenant in the app.',
    };
  const places = placesFor(tenants, await answerOf(api.listLedgersByUser()), wish);
  if (places.length === 0) return { problem: NO_DATABASE };
  const user = (await queries.ensureQueryData(sessionQuery(session)))?.email ?? '';
  // An app may ask for a new answer, for example because somebody else's link chose the database.
  const mustAsk = query.get('prompt') === 'consent';
  const known = mustAsk ? undefined : agreedPlace(places, wish, agreedWith(user, back.origin));
  if (known === undefined) return { confirm: { back: back.href, user, places } };
  return replace(prepare(await tokenFor(api, known), back.href, url));
}

/** Returns the address of the app, with the `state` that the app sent. */
function backUrlOf(query: URLSearchParams): URL | undefined {
  const back = handOffTarget(query.get('back_url'), location.origin);
  const state = query.get('state');
  if (state !== null && state.length <= STATE_CHARS_MAX) back?.searchParams.set('state', state);
  return back;
}

const wishOf = (query: URLSearchParams): Wish => ({
  tenant: query.get('tenant'),
  ledger: query.get('ledger'),
  localName: query.get('local_ledger_name'),
});

/**
 * Returns the database that the user agreed to before, unless the database was deleted or the app
 * now requests another one.
 */
function agreedPlace(
  places: readonly Place[],
  wish: Wish,
  agreed: { readonly tenantId: string; readonly ledgerId: string } | undefined,
): ChosenPlace | undefined {
  if (agreed === undefined) return undefined;
  const place = places.find(({ ledgerId }) => ledgerId === agreed.ledgerId);
  if (place?.ledgerId === undefined || place.tenantId !== agreed.tenantId) return undefined;
  const namesAnother = wish.ledger !== null || wish.tenant !== null || wish.localName !== null;
  return namesAnother && !isPlace(place, wish) ? undefined : { ...place, ledgerId: place.ledgerId };
}

/**
 * Serves existing clients, which open this page in a separate window. They fetch the token by an id
 * that they generated (`reqTokenByResultId`), so no address ever contains the token.
 */
async function choiceFor(resultId: string, query: URLSearchParams, { api, queries }: App): Promise<Loaded> {
  if (!RESULT_ID.test(resultId)) return { problem: 'Invalid result_id' };
  const tenants = await queries.ensureQueryData(tenantQueries.list(api));
  const places = placesFor(tenants, await answerOf(api.listLedgersByUser()), wishOf(query));
  return places.length === 0 ? { problem: NO_DATABASE } : { choose: { resultId, places } };
}

const tokenFor = (api: AdminClient, place: ChosenPlace): Promise<string> =>
  cloudToken(api, place, { handOff: true });

/** Stores the token for the hand-off, and returns this page's address with `token=ready`. */
function prepare(token: string, back: string, page: URL): string {
  prepareHandOff(new URL(back), token);
  const next = new URL(page);
  next.searchParams.set('token', 'ready');
  return next.pathname + next.search;
}

export function Component() {
  const loaded = useLoaderData<Loaded>();
  return (
    <StandalonePage title="Allow access to a database">
      <title>Allow access to a database · Fixpoint</title>
      {'problem' in loaded && (
        <ErrorPanel message={loaded.problem}>
          <LinkButton to="/fp/cloud">Cloud home</LinkButton>
        </ErrorPanel>
      )}
      {'leaving' in loaded && <Skeleton text={`Returning to ${loaded.leaving}...`} />}
      {'confirm' in loaded && <Confirm asked={loaded.confirm} />}
      {'choose' in loaded && <UnderResultId {...loaded.choose} />}
    </StandalonePage>
  );
}

/**
 * Asks for consent to send the token to an origin. Only this origin receives the token, so the page
 * can name the origin without further proof.
 */
function Confirm({ asked: { back, user, places } }: { asked: Asked }) {
  const { api } = useApp();
  const begin = useVisit();
  const { origin } = new URL(back);
  const accept = async (place: ChosenPlace) => {
    const visit = begin();
    const token = await tokenFor(api, place);
    // If the user left while the token was pending, hand nothing over.
    if (visit.isOver()) return;
    agree({ user, origin, tenantId: place.tenantId, ledgerId: place.ledgerId, label: place.label });
    await visit.leadTo(prepare(token, back, new URL(location.href)), { replace: true });
  };
  return (
    <ChooseDatabase
      places={places}
      onAgree={accept}
      asker={
        <p>
          The site <strong className="font-semibold wrap-anywhere">{origin}</strong> asks for access to one of
          your databases.
        </p>
      }
      advice={
        <p className="text-ink-3">
          Continue only if you came from this site and trust it. For 30 days, this browser won’t ask again
          about this site, unless you revoke its access in your account.
        </p>
      }
      cancel={<LinkButton to="/fp/cloud">Cancel</LinkButton>}
    />
  );
}
