/** Shares code between the login and sign-up pages. */
import { type ActionFunctionArgs, data, type LoaderFunctionArgs, redirect } from 'react-router';
import { app } from '../app.ts';
import type { Attempt, SignUpChoice } from '../identity/session-port.ts';
import { sessionQuery } from '../queries/queries.ts';
import { ownPage } from './redirects.ts';

/** Returns the page that the user wanted to open. */
export const targetOf = (request: Request): string =>
  ownPage(new URL(request.url).searchParams.get('redirect_url'), location.origin);

/** Redirects signed-in users. Returns the available sign-in methods to others. */
export async function loadWays({ request, context }: LoaderFunctionArgs) {
  const { session, queries } = context.get(app);
  const somebody = await queries.fetchQuery(sessionQuery(session));
  return somebody === null ? session.ways() : redirect(targetOf(request));
}

/** The result of the last attempt, as a form shows it. */
export interface Outcome {
  readonly error?: string | undefined;
  /** Why the email address was rejected. */
  readonly email?: string;
  /** The source of the code to enter next. */
  readonly code?: 'mail' | 'app';
  /** A message about another outcome than a sign-in, such as a mailed link. */
  readonly note?: string;
}

/**
 * Handles an attempt that doesn't use the form's own fields. Returns undefined when the user
 * submitted these fields. `choice` is for users who create an account.
 */
export async function otherAttempt(form: FormData, args: ActionFunctionArgs, choice?: SignUpChoice) {
  const { session } = args.context.get(app);
  switch (form.get('way')) {
    case 'code': {
      const tried = await session.signInByCode(String(form.get('code') ?? '').replace(/\s/g, ''));
      const code = form.get('from') === 'app' ? 'app' : 'mail';
      return tried.is === 'refused' ? said({ error: tried.why, code }) : outcomeOf(tried, args);
    }
    case 'passkey':
      return outcomeOf(await session.signInByPasskey(), args);
    case 'elsewhere':
      return outcomeOf(await session.signInElsewhere(targetOf(args.request), choice), args);
    default:
      return undefined;
  }
}

/** Redirects a user who signed in; otherwise returns the outcome for the form. */
export function outcomeOf(tried: Attempt, { request, context }: ActionFunctionArgs) {
  switch (tried.is) {
    case 'done':
      context.get(app).queries.clear();
      return redirect(targetOf(request));
    case 'refused':
      return said({ error: tried.why });
    case 'code':
      return said({ code: tried.from });
    case 'leaving':
      return said({});
  }
}

export const said = (outcome: Outcome) =>
  data(outcome, { status: outcome.error === undefined && outcome.email === undefined ? 200 : 400 });
