import { createHash, randomBytes } from 'node:crypto';
import type { RequestType } from '@fixpoint/protocol/admin';
import { expect } from 'vitest';
import { type Caller, makeLedger, makeTenant, openAdmin } from './admin.fixture.ts';

export const ORIGIN = 'https://app.example';
export const REDIRECT = 'https://app.example/signed-in';

const secret = (bytes = 32) => randomBytes(bytes).toString('base64url');
export const newRefreshToken = (family = secret(16)): string => `${family}.${secret()}`;
export const familyOf = (refreshToken: string): string => refreshToken.split('.')[0] ?? '';

/** A sign-in as an application begins it. */
export function newSignIn() {
  const verifier = secret();
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return { verifier, challenge, refreshToken: newRefreshToken() };
}

type Answer = Record<string, unknown>;

/** Opens the admin API with a registered application, and sends requests as its pages do. */
export async function openApplication() {
  const parts = await openAdmin();
  const ada = await parts.signUp('ada');
  const tenantId = await makeTenant(ada);
  const ledgerId = await makeLedger(ada, tenantId);
  const settings = { name: 'Notes', origins: [ORIGIN], redirectUrls: [REDIRECT] };
  const { application } = await ada.ask('reqCreateApplication', { tenantId, ...settings });
  const { applicationId } = application;
  const byPage = async (type: RequestType, payload: object, origin: string | undefined = ORIGIN) => {
    const { status, body } = await parts.admin({ type, applicationId, ...payload }, '192.0.2.1', origin);
    return { httpStatus: status, ...(body as Answer) } as Answer & { httpStatus: number };
  };
  /** Returns a code of a user who agrees, and the other values that the exchange needs. */
  const codeOf = async (person: Caller) => {
    const { verifier, challenge, refreshToken } = newSignIn();
    const { code } = await person.ask('reqAuthorizeApplication', {
      applicationId,
      redirectUrl: REDIRECT,
      challenge,
      agrees: true,
    });
    return { code, verifier, refreshToken, redirectUrl: REDIRECT };
  };
  const begin = (given: object, origin?: string) => byPage('reqBeginApplicationSession', given, origin);
  const signIn = async (person: Caller) => {
    const given = await codeOf(person);
    const answer = await begin(given);
    expect(answer).toMatchObject({ httpStatus: 200, status: 'open' });
    return { ...given, accessToken: String(answer['accessToken']), user: answer['user'] };
  };
  const refresh = (refreshToken: string, next = newRefreshToken(familyOf(refreshToken))) =>
    byPage('reqRefreshApplicationSession', { refreshToken, next });
  const databases = (accessToken: string) => byPage('reqListApplicationDatabases', { accessToken });
  return {
    ...parts,
    ada,
    tenantId,
    ledgerId,
    applicationId,
    settings,
    byPage,
    codeOf,
    begin,
    signIn,
    refresh,
    databases,
  };
}
