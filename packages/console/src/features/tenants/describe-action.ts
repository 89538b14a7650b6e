import { type AuditRecord, isRequestType, REQUESTS } from '@fixpoint/protocol/admin';

type Told = Pick<AuditRecord, 'action' | 'detail' | 'userId'>;
type NameOf = (id: string) => string | undefined;

export interface ActionText {
  /** Follows the name of the person, as in "shared notes with Grace". */
  readonly did: string;
  /** Readable values that the sentence doesn't contain. */
  readonly details: readonly string[];
}

/** Returns the first value with one of these keys. Ids are replaced by known names. */
type Facts = (...keys: readonly string[]) => string | undefined;
/** Undefined if a value is missing that the sentence needs. */
type Sentence = string | undefined;

const RIGHTS: Readonly<Record<string, string>> = { read: 'read', write: 'read and write' };
const ROLES: Readonly<Record<string, string>> = { admin: 'an admin', member: 'a member' };

/** Sentences with values of the detail, by the general words of the action. */
const SENTENCES: Readonly<Record<string, (facts: Facts, isAboutSelf: boolean) => Sentence>> = {
  'created a database': (facts) => {
    const created = sentence`created the database ${facts('name')}`;
    return created && facts('kind') === 'sealed' ? `${created}, encrypted end-to-end` : created;
  },
  'renamed a database': (facts) => sentence`renamed a database to ${facts('name')}`,
  'shared a database': (facts) => {
    const shared = sentence`shared ${facts('ledgerId')} with ${facts('userId')}`;
    const right = RIGHTS[facts('right') ?? ''];
    return shared && right ? `${shared}, who can ${right}` : shared;
  },
  'revoked access to a database': (facts) =>
    sentence`ended the access of ${facts('userId')} to ${facts('ledgerId')}`,
  'invited somebody': (facts) => {
    const invited = sentence`invited ${facts('byEmail', 'byNick', 'existingUserId')}`;
    const ledger = facts('id');
    if (invited && ledger) return `${invited} to ${ledger}`;
    const role = ROLES[facts('role') ?? ''];
    return invited && role ? `${invited} as ${role}` : invited;
  },
  'changed a membership': (facts) => sentence`made ${facts('userId')} ${ROLES[facts('role') ?? '']}`,
  // People who left have no known name.
  'ended a membership': (facts, isAboutSelf) =>
    isAboutSelf ? 'left the tenant' : (sentence`removed ${facts('userId')}` ?? 'removed a member'),
  'created the tenant': (facts) => sentence`created the tenant ${facts('name')}`,
  'renamed the tenant': (facts) => sentence`renamed the tenant to ${facts('name')}`,
  'transferred the tenant': (facts) => sentence`made ${facts('userId')} the owner`,
  'created an API token': (facts) => sentence`created the API token ${facts('name')}`,
};

/** Describes an action in words. Unknown actions of a newer server are returned unchanged. */
export function describeAction({ action, detail, userId }: Told, nameOf: NameOf): ActionText {
  const about = parsed(detail);
  const told = readable(about, nameOf);
  const used = new Set<string>();
  const facts: Facts = (...keys) => {
    const fact = told.find(({ key }) => keys.includes(key));
    if (fact !== undefined) used.add(fact.text);
    return fact?.text;
  };
  const words = generalWords(action);
  const write = Object.hasOwn(SENTENCES, words) ? SENTENCES[words] : undefined;
  const did = write?.(facts, isAbout(about, userId));
  const texts = [...new Set(told.map(({ text }) => text))];
  return did === undefined
    ? { did: words, details: texts }
    : { did, details: texts.filter((text) => !used.has(text)) };
}

/** Returns whether a detail is about a user. Requests without a user are about the caller. */
function isAbout(detail: unknown, user: string): boolean {
  const given =
    typeof detail === 'object' && detail !== null && 'userId' in detail ? detail.userId : undefined;
  return given === undefined || given === user;
}

const generalWords = (action: string): string =>
  (isRequestType(action) && REQUESTS[action].audited) || action;

function sentence(texts: TemplateStringsArray, ...values: readonly (string | undefined)[]): Sentence {
  return values.includes(undefined) ? undefined : String.raw({ raw: texts }, ...values);
}

/** Returns names, addresses, roles and rights of a detail. Omits ids without a known name. */
function readable(detail: unknown, nameOf: NameOf): { key: string; text: string }[] {
  const told: { key: string; text: string }[] = [];
  const visit = (value: unknown, key: string): void => {
    if (Array.isArray(value)) for (const each of value) visit(each, key);
    else if (typeof value === 'object' && value !== null)
      for (const [name, each] of Object.entries(value)) visit(each, name);
    else if (typeof value === 'string') {
      const isId = key === 'id' || key.endsWith('Id');
      const text = isId ? nameOf(value) : value;
      if (text !== undefined) told.push({ key, text });
    }
  };
  visit(detail, '');
  return told;
}

/** Parses a detail. A newer server may send a detail that isn't JSON, which is shown as text. */
function parsed(detail: string): unknown {
  try {
    return JSON.parse(detail);
  } catch {
    return detail;
  }
}
