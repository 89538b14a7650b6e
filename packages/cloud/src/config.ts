import { FixpointError } from '@fixpoint/protocol';

export interface CloudConfig {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Folder of all data. */
  readonly data: string;
  /** The address that users see; default the one that is listened on. */
  readonly publicUrl: string | undefined;
  readonly consoleDir: string | undefined;
  readonly signUp: 'open' | 'closed';
  readonly logLevel: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws FixpointError CONFIG_INVALID with the name of the variable and what it may be */
export function configFrom(env: Environment): CloudConfig {
  const refuse = (why: string): never => {
    throw new FixpointError('CONFIG_INVALID', why);
  };
  const oneOf = <T extends string>(name: string, allowed: readonly T[], fallback: T): T => {
    const value = env[name] || fallback;
    return (
      allowed.find((one) => one === value) ?? refuse(`${name}=${value} is not one of ${allowed.join(', ')}`)
    );
  };
  const port = Number(env['PORT'] || 7370);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) refuse(`PORT=${env['PORT']} is no port`);
  for (const name of ['DATABASE_URL', 'OBJECT_STORE', 'HINT_BUS'])
    if (env[name])
      refuse(`${name} is set, but this version stores everything under FIXPOINT_DATA: unset ${name}`);
  oneOf('AUTH', ['builtin'], 'builtin');
  return {
    host: env['HOST'] || '127.0.0.1',
    port,
    data: env['FIXPOINT_DATA'] || './.fixpoint',
    publicUrl: publicUrlFrom(env['PUBLIC_URL'], refuse),
    consoleDir: env['CONSOLE_DIR'] || undefined,
    signUp: oneOf('SIGNUP', ['open', 'closed'], 'open'),
    logLevel: oneOf('LOG_LEVEL', ['silent', 'error', 'warn', 'info', 'debug'], 'info'),
  };
}

function publicUrlFrom(text: string | undefined, refuse: (why: string) => never): string | undefined {
  if (!text) return undefined;
  try {
    const url = new URL(text);
    if (url.protocol === 'http:' || url.protocol === 'https:') return url.origin;
  } catch {
    // Falls through to the refusal, which names the variable.
  }
  return refuse(`PUBLIC_URL=${text} is no http or https address`);
}
