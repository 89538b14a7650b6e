import { useSession } from '@fixpoint/react';
import type { SessionUser } from 'fixpoint/session';
import { useEffect, useState } from 'react';
import { List } from './list.tsx';
import { openFirstList } from './model.ts';

/** Signs people in, and shows the list of their household. */
export function Household() {
  const { status, user, error, signIn, signOut } = useSession();
  if (status === 'starting') return null;
  if (user === undefined)
    return (
      <main>
        <h1>Shopping list</h1>
        <p>One list for your household: on all your phones, and also without a network.</p>
        {error && <p role="alert">Couldn’t sign you in: {error.message}</p>}
        <button type="button" onClick={() => void signIn()}>
          Sign in
        </button>
      </main>
    );
  return (
    <>
      <header>
        {user.name}
        <button type="button" onClick={() => void signOut()}>
          Sign out
        </button>
      </header>
      <SharedList key={user.userId} user={user} />
    </>
  );
}

function SharedList({ user }: { user: SessionUser }) {
  const { session } = useSession();
  const [first, setFirst] = useState<Awaited<ReturnType<typeof openFirstList>>>();
  const [failed, setFailed] = useState<Error>();
  useEffect(() => void openFirstList(session).then(setFirst, setFailed), [session]);
  if (failed) return <p role="alert">Couldn’t open your list: {failed.message}. Reload to try again.</p>;
  if (first === null) return <p>You have no list yet. Ask the person who runs it to share it with you.</p>;
  return first && <List {...first} user={user} />;
}
