import { done } from '../../cloud/app.fixture.ts';
import type { SecondFactor } from '../../cloud/identity/session-port.ts';

/** Returns a second step that accepts everything, except for the functions that a test passes. */
export const secondFactorWith = (given: Partial<SecondFactor> = {}): SecondFactor => ({
  isOn: () => done(false),
  begin: () =>
    done({ totpURI: 'otpauth://totp/Fixpoint:ada?secret=ABCD2345', backupCodes: ['one-two', 'three-four'] }),
  finish: () => done(undefined),
  newBackupCodes: () => done({ backupCodes: ['five-six'] }),
  turnOff: () => done(undefined),
  ...given,
});
