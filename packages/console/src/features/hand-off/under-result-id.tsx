import { handOffCode } from '@fixpoint/protocol/admin';
import { useEffect, useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { cloudToken } from '../../cloud/queries/queries.ts';
import { Button } from '../../ui/button.tsx';
import { NotePanel } from '../../ui/pages/feedback.tsx';
import { ChooseDatabase, type ChosenPlace } from './choose-database.tsx';
import type { Place } from './places.ts';

export interface UnderResultIdProps {
  /** Id with which the waiting app fetches its token. */
  readonly resultId: string;
  readonly places: readonly Place[];
}

const CLOSE_MS = 3000;

/**
 * Stores a token for an app that waits in another window. Nothing proves which app waits, so the
 * page names no origin. It shows a code that only the app with the same id can show.
 */
export function UnderResultId({ resultId, places }: UnderResultIdProps) {
  const { api } = useApp();
  const [isGiven, setGiven] = useState(false);
  if (isGiven) return <Given />;
  const give = async (place: ChosenPlace) => {
    await cloudToken(api, place, { resultId, handOff: true });
    setGiven(true);
  };
  return (
    <ChooseDatabase
      places={places}
      onAgree={give}
      asker={
        <>
          <p>An app asks for access to one of your databases. The code of this request is</p>
          <p className="text-center font-mono text-xl font-semibold tracking-widest">
            {handOffCode(resultId)}
          </p>
        </>
      }
      advice={
        <p className="text-ink-3">
          If the app shows a code, continue only if both codes are the same. If the app shows no code,
          continue only if you just opened this window from that app.
        </p>
      }
      cancel={<Button onClick={() => window.close()}>Cancel</Button>}
    />
  );
}

function Given() {
  useEffect(() => {
    const timer = setTimeout(() => window.close(), CLOSE_MS);
    return () => clearTimeout(timer);
  }, []);
  return <NotePanel text="The app has its token. You can close this window." />;
}
