import { Cloud } from 'lucide-react';
import { useState } from 'react';
import { type Location, useLocation } from 'react-router';
import { placeIn } from '../../local/endpoint.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { CancelButton } from '../../ui/forms/form.tsx';
import { PageHeader, Skeleton } from '../../ui/pages/feedback.tsx';
import { isMounted } from '../../ui/pages/mounted.ts';
import { Notice } from '../../ui/pages/notice.tsx';
import { AddressForm, type AddressFormProps } from './address-form.tsx';
import { PlaceForm } from './place-form.tsx';
import { useSyncUser } from './use-sync-user.ts';

/**
 * Asks which database to connect, and to what. Signed-in users choose a ledger of this server; any
 * user can enter an address.
 */
export function ConnectForm(props: AddressFormProps) {
  const { given, error, shared } = props;
  const email = useSyncUser();
  const endpoint = given.get('endpoint') ?? '';
  const place = placeIn(endpoint);
  const [isByAddress, setByAddress] = useState(endpoint !== '' && place === undefined);
  const { state: asked, pathname, search } = useLocation() as Omit<Location, 'state'> & { state: unknown };
  const localName = given.get('localName') ?? localNameIn(asked);
  const isSignedIn = typeof email === 'string' && !isByAddress;
  return (
    <div className={`w-full ${isSignedIn ? 'max-w-3xl' : 'max-w-lg'}`}>
      <PageHeader
        title={localName === '' ? 'Connect' : `Connect ${localName}`}
        lead={
          isSignedIn
            ? 'Sync a local database with a database in the cloud.'
            : 'Connect a local database to a remote name. Afterwards you can open the database by either name.'
        }
      />
      {email === undefined && !isByAddress && <Skeleton />}
      {email === null && <SignInNote back={pathname + search} />}
      {(email === null || isByAddress) && <AddressForm {...props} given={withName(given, localName)} />}
      {isSignedIn && (
        <PlaceForm localName={localName} place={place} error={error} shared={shared}>
          <CancelButton />
        </PlaceForm>
      )}
      {typeof email === 'string' && (
        <p className="mt-4 flex flex-wrap items-center gap-2 text-sm text-ink-3">
          {isByAddress
            ? 'To sync with this server, choose a database.'
            : 'To sync with a database of another server, enter its address.'}
          <Button tone="quiet" onClick={() => setByAddress(!isByAddress)}>
            {isByAddress ? 'Choose a database' : 'Use another server'}
          </Button>
        </p>
      )}
    </div>
  );
}

function withName(given: URLSearchParams, localName: string): URLSearchParams {
  const all = new URLSearchParams(given);
  all.set('localName', localName);
  return all;
}

/** Returns the local name that another page of the console asked to connect. */
function localNameIn(state: unknown): string {
  const name = (state as { localName?: unknown } | null)?.localName;
  return typeof name === 'string' ? name : '';
}

/** Says what signing in changes. An app's dev server has no accounts. */
export function SignInNote({ back }: { back: string }) {
  if (isMounted())
    return (
      <Notice icon={<Cloud size={16} aria-hidden />}>
        This console is part of an app’s dev server, which has no cloud. Enter the address of a server; you
        sign in there and choose a database.
      </Notice>
    );
  return (
    <Notice
      icon={<Cloud size={16} aria-hidden />}
      action={<LinkButton to={`/login?redirect_url=${encodeURIComponent(back)}`}>Sign in</LinkButton>}
    >
      Sign in to choose a database in the cloud and to sync with it.
    </Notice>
  );
}
