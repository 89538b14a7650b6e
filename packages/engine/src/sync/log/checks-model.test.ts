/**
 * Compares devices that remember checks with devices that check everything, for lists that a server
 * changes at will: it leaves out texts, reorders them, and adds changed copies.
 */
import { isGreetingText, recordText } from '@fixpoint/protocol/storage';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { logWorld, type TestDevice } from './ledger-devices.fixture.ts';

const MARK = 'S2.';

let world: ReturnType<typeof logWorld>;
let team: Awaited<ReturnType<ReturnType<typeof logWorld>['team']>>;
let texts: readonly string[];

beforeAll(async () => {
  world = logWorld(1);
  team = await world.team();
  const { F, W, X } = team;
  const idOf = ({ keys }: TestDevice) => keys.devices().find(({ isThis }) => isThis)?.id as string;
  world.put(...(await F.keys.rotate([idOf(X)])));
  await F.hear();
  await W.hear();
  const A = await world.admitted(F, 'A', 'admin');
  await world.admitted(A, 'P', 'read');
  world.put(...(await F.keys.setRole('W', 'read')));
  await F.hear();
  texts = [...world.list].filter((text) => !isGreetingText(text));
});

/** Returns a text with one other bit, if it is an entry. */
function changed(text: string, place: number): string {
  if (!text.startsWith(MARK)) return text;
  const bytes = Uint8Array.from(Buffer.from(text.slice(MARK.length), 'base64url'));
  const at = place % bytes.length;
  bytes[at] = (bytes[at] as number) ^ (1 << (place % 8));
  return recordText(bytes, MARK);
}

/** Opens a device from rows, lets it hear lists, and returns what it then knows. */
async function stateAfter(
  of: TestDevice,
  values: ReadonlyMap<string, Uint8Array>,
  lists: readonly (readonly string[])[],
) {
  const one = await world.again({ user: of.user, values: new Map(values) });
  for (const list of lists) await one.hear(list);
  const { log } = one.keys.keyring();
  return {
    seals: one.seals(),
    devices: one.keys.devices().map(({ heardAt: _, ...device }) => device),
    members: log?.members.map(({ heardAt: _, ...member }) => member),
    ignored: log?.ignored,
    safetyNumber: log?.safetyNumber,
    waits: log?.waits,
  };
}

const withoutChecks = (values: ReadonlyMap<string, Uint8Array>) =>
  new Map([...values].filter(([row]) => !row.includes('/log-checked/')));

/** A list of a server that leaves out, repeats, changes and reorders texts. */
const served = fc
  .array(fc.record({ text: fc.nat(), isChanged: fc.boolean(), place: fc.nat({ max: 4000 }) }), {
    minLength: 1,
    maxLength: 40,
  })
  .map((choices) =>
    choices.map(({ text, isChanged, place }) => {
      const chosen = texts[text % texts.length] as string;
      return isChanged ? changed(chosen, place) : chosen;
    }),
  );

test.each(['W', 'R', 'F'] as const)(
  '[F4, F6] shows the same with remembered checks as without, whatever the server lists: %s',
  async (name) => {
    const of = team[name];
    await of.hear(texts);
    await fc.assert(
      fc.asyncProperty(fc.array(served, { maxLength: 3 }), async (lists) => {
        const remembering = await stateAfter(of, of.values, lists);
        expect(await stateAfter(of, withoutChecks(of.values), lists)).toEqual(remembering);
      }),
      { numRuns: 4 },
    );
  },
);

test('[F6] shows the same after a restart in between', async () => {
  const { W } = team;
  await fc.assert(
    fc.asyncProperty(served, served, async (first, second) => {
      const values = new Map(withoutChecks(W.values));
      const one = await world.again({ user: W.user, values });
      await one.hear(first);
      const restarted = await stateAfter(W, values, [second]);
      expect(await stateAfter(W, withoutChecks(W.values), [first, second])).toEqual(restarted);
    }),
    { numRuns: 4 },
  );
});
