/** Ends sessions at the server, also sessions that ended here while the device was offline. */
import { FixpointError } from '@fixpoint/protocol';
import type { SessionEnvironment } from '../ports/session-environment.ts';
import type { Ask } from './session-calls.ts';
import type { SessionMemory } from './session-memory.ts';
import { successorOf } from './sign-in.ts';

export interface EndedSessions {
  /** Remembers a session that has ended on this device. */
  add(refreshToken: string): void;
  /** Tells the server. Never rejects: what it couldn't send is sent next time. */
  send(): Promise<void>;
}

export function endedSessions(
  environment: Pick<SessionEnvironment, 'secret'>,
  memory: Pick<SessionMemory, 'unended' | 'keepUnended'>,
  ask: Ask,
): EndedSessions {
  const sendOne = async (refreshToken: string) => {
    try {
      await ask('reqEndApplicationSession', { refreshToken });
    } catch (cause) {
      if (!(cause instanceof FixpointError) || cause.code === 'FETCH') return;
    }
    memory.keepUnended(memory.unended().filter((one) => one !== refreshToken));
  };
  return {
    // Any token with the first part of the session ends it. The device keeps one that can't be
    // refreshed.
    add: (refreshToken) => memory.keepUnended([...memory.unended(), successorOf(environment, refreshToken)]),
    send: async () => void (await Promise.all(memory.unended().map(sendOne))),
  };
}
