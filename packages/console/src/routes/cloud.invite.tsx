/** /fp/cloud/invite: the links in mails of invites lead here. */
import {
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  redirect,
  useActionData,
  useLoaderData,
} from 'react-router';
import { app } from '../cloud/app.ts';
import type { SignInWays } from '../cloud/identity/session-port.ts';
import { type Outcome, outcomeOf } from '../cloud/sign-in/sign-in-attempt.ts';
import { INVITE_LINK, InvitedPage } from '../features/members/invited.tsx';
import { textOf } from '../ui/forms/form.tsx';

export const loader = ({ context }: LoaderFunctionArgs) => context.get(app).session.ways();

/** Creates an account with the invited address, and accepts the invite. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const { session, api, queries } = args.context.get(app);
  const invite = INVITE_LINK.read();
  const tried = await session.signUp({
    name: textOf(form, 'name'),
    email: textOf(form, 'email'),
    password: String(form.get('password') ?? ''),
    emailOptIn: form.has('emailOptIn'),
    ...(invite !== undefined && { invite }),
  });
  if (tried.is !== 'done') return outcomeOf(tried, args);
  INVITE_LINK.forget();
  const user = await api.ensureUser();
  const joined = user.ok ? await api.redeemInvite(textOf(form, 'inviteId')) : user;
  // Only now, because the page leaves as soon as it finds the new session.
  queries.clear();
  // The account page shows invites that couldn't be accepted, and why.
  if (!joined.ok) return redirect('/fp/cloud/account');
  const tenantId = joined.value[0]?.invitedParams.tenant?.id;
  return redirect(tenantId === undefined ? '/fp/cloud' : `/fp/cloud/tenants/${tenantId}/overview`);
}

export function Component() {
  return <InvitedPage ways={useLoaderData<SignInWays>()} outcome={useActionData<Outcome>()} />;
}
