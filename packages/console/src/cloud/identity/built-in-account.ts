/** Implements the account page for accounts that this server keeps. */
import { FixpointError, isFixpointError, type Result } from '@fixpoint/protocol';
import { type AuthRoutes, refused } from './auth-routes.ts';
import { addPasskey, hasPasskeys, usePasskey } from './passkey-support.ts';
import type { OwnConfig } from './read-provider.ts';
import type { Account, EndedAccess, OpenSession, Passkey, SecondFactor } from './session-port.ts';

export async function builtInAccount(routes: AuthRoutes, config: OwnConfig): Promise<Account> {
  const isOwn = config.kind === 'builtin';
  // Users who signed in through a provider or a mailed link have no password.
  const hasPassword = isOwn && (await readSignedIn<{ password: boolean }>(routes, '/account')).password;
  const passkeys = config.passkeys && hasPasskeys();
  const read = <T>(path: string): Promise<Result<T>> => resultOf(() => readSignedIn<T>(routes, path));
  return {
    sessions: {
      list: async () => {
        const answer = await read<{ sessions: OpenSession[] }>('/sessions');
        return answer.ok ? { ok: true, value: answer.value.sessions } : answer;
      },
      end: (id) => routes.post('/sessions/end', { id }),
      endOthers: (access) => routes.post('/sessions/end', { others: true, access }),
    },
    confirm: {
      ...(hasPassword && { byPassword: (password: string) => confirm(routes, password) }),
      ...(passkeys && { byPasskey: () => usePasskey(routes) }),
      ...(config.elsewhere !== undefined && { elsewhere: config.elsewhere }),
    },
    ...(hasPassword && {
      changePassword: (currentPassword: string, newPassword: string, access: EndedAccess) =>
        routes.post('/change-password', { currentPassword, newPassword, revokeOtherSessions: true, access }),
    }),
    ...(isOwn &&
      !hasPassword && {
        mailPassword: (email: string) => routes.post('/request-password-reset', { email }),
      }),
    ...(passkeys && {
      passkeys: {
        list: () => read<Passkey[]>('/passkey/list-user-passkeys'),
        add: (name: string) => addPasskey(routes, name),
        remove: (id: string) => routes.post('/passkey/delete-passkey', { id }),
      },
    }),
    ...(config.signOutEnds !== undefined && { signOutEnds: config.signOutEnds }),
    ...(hasPassword && config.secondFactor && { secondFactor: secondFactorOf(routes, read) }),
  };
}

type Read = <T>(path: string) => Promise<Result<T>>;

/**
 * Confirms the user's identity with the password before each change, because each change requires
 * the password anyway.
 */
function secondFactorOf(routes: AuthRoutes, read: Read): SecondFactor {
  const change = async <T>(path: string, password: string): Promise<Result<T>> => {
    const confirmed = await confirm(routes, password);
    return confirmed.ok ? routes.post<T>(path, { password }) : confirmed;
  };
  return {
    isOn: async () => {
      const answer = await read<{ user: { twoFactorEnabled?: boolean | null } }>('/get-session');
      return answer.ok ? { ok: true, value: answer.value.user.twoFactorEnabled === true } : answer;
    },
    begin: (password) => change('/two-factor/enable', password),
    finish: (code) => routes.post('/two-factor/verify-totp', { code }),
    newBackupCodes: (password) => change('/two-factor/generate-backup-codes', password),
    turnOff: (password) => change('/two-factor/disable', password),
  };
}

async function confirm(routes: AuthRoutes, password: string): Promise<Result<unknown>> {
  const answer = await routes.post('/confirm', { password });
  const isWrong = !answer.ok && /wrong password/.test(String(answer.error.cause));
  return isWrong ? refused('Wrong password. Try again.') : answer;
}

async function readSignedIn<T>(routes: AuthRoutes, path: string): Promise<T> {
  const answer = await routes.get<T>(path);
  if (answer === undefined) throw new FixpointError('NOT_SIGNED_IN');
  return answer;
}

async function resultOf<T>(run: () => Promise<T>): Promise<Result<T>> {
  try {
    return { ok: true, value: await run() };
  } catch (error) {
    if (isFixpointError(error)) return { ok: false, error };
    throw error;
  }
}
