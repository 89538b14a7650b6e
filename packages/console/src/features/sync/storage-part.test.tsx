import { FixpointError } from '@fixpoint/protocol';
import { act, screen, waitFor } from '@testing-library/react';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { describe, expect, test, vi } from 'vitest';
import { appWith } from '../../cloud/app.fixture.ts';
import { drawPart, hasButton, isDisabled, press } from '../../cloud/part.fixture.tsx';
import { type Waiting, waiting, withPages } from '../../ui/pages.fixture.tsx';
import { StoragePart } from './storage-part.tsx';

withPages();

interface Browser {
  usage?: number | undefined;
  quota?: number | undefined;
  isKept?: boolean;
  /** Whether the browser agrees to keep data. */
  agrees?: boolean;
  hasStorage?: boolean;
}

/** Replaces the browser's report of its storage. */
function inBrowser({
  usage = 4_200_000,
  quota = 2e9,
  isKept = false,
  agrees = true,
  hasStorage = true,
}: Browser) {
  const state = { usage, isKept };
  const storage = {
    estimate: async () => ({ usage: state.usage, quota }),
    persisted: async () => state.isKept,
    persist: async () => {
      state.isKept = agrees;
      return agrees;
    },
  };
  vi.stubGlobal('navigator', { ...(hasStorage && { storage }) });
  return state;
}

type Verified = Awaited<ReturnType<BridgedDatabase['verify']>>;
type VerifyOptions = NonNullable<Parameters<BridgedDatabase['verify']>[0]>;

async function part(given: Partial<BridgedDatabase> = {}) {
  const measured: { readonly options: VerifyOptions; readonly answer: Waiting<Verified> }[] = [];
  const verify = (options: VerifyOptions = {}) => {
    const answer = waiting<Verified>();
    measured.push({ options, answer });
    return answer.promise;
  };
  const database = { name: 'notes', verify, ...given } as unknown as BridgedDatabase;
  const page = await drawPart(() => <StoragePart database={database} />, appWith({}));
  return { ...page, measured };
}
const fact = (name: string) => screen.getByText(name).nextElementSibling?.textContent;

describe('the storage of this browser', () => {
  test('shows what all databases use, what is available, and that data may be deleted', async () => {
    inBrowser({});
    await part();
    await waitFor(() => expect(fact('All databases')).toBe('4.2 MB'));
    expect([fact('Available'), fact('Kept')]).toEqual(['2 GB', 'While there is space']);
  });

  test('says that data stays until the user deletes it, and then offers no request to keep it', async () => {
    inBrowser({ isKept: true });
    await part();
    await waitFor(() => expect(fact('Kept')).toBe('Until you delete it'));
    expect(hasButton('Ask the browser to keep the data')).toBe(false);
  });

  test('claims nothing in a browser that doesn’t report its storage', async () => {
    inBrowser({ hasStorage: false });
    await part();
    await screen.findByRole('button', { name: 'Ask the browser to keep the data' });
    expect([fact('All databases'), fact('Available'), fact('Kept')]).toEqual([
      'Not reported by the browser',
      'Not reported by the browser',
      'While there is space',
    ]);
  });
});

describe('the request to keep data', () => {
  test('disappears once the browser agreed', async () => {
    inBrowser({ agrees: true });
    await part();
    await press('Ask the browser to keep the data');
    await screen.findByText('The browser keeps the data until you delete it.');
    await waitFor(() => expect(fact('Kept')).toBe('Until you delete it'));
    expect(hasButton('Ask the browser to keep the data')).toBe(false);
  });

  test('stays when the browser declines, and says what may help', async () => {
    inBrowser({ agrees: false });
    await part();
    await press('Ask the browser to keep the data');
    await screen.findByText(/The browser declined\. Use the console more or install it as an app/);
    await waitFor(() => expect(isDisabled('Ask the browser to keep the data')).toBe(false));
  });
});

describe('the size of a database', () => {
  const progress = (options: VerifyOptions | undefined, done: number, of: number) =>
    act(async () => options?.onProgress?.(done, of));

  test('appears when the user asks, with the progress of the measurement', async () => {
    inBrowser({});
    const { measured } = await part();
    expect(measured).toHaveLength(0);
    await press('Measure');
    await progress(measured[0]?.options, 3, 10);
    expect(fact('This database')).toBe('Measuring: 3 of 10 archives…');
    await measured[0]?.answer.come({ bytes: 12_300, archives: 10 } as Verified);
    expect(fact('This database')).toBe('12.3 kB in 10 archives');
  });

  test('uses the singular for a single archive', async () => {
    inBrowser({});
    const { measured } = await part();
    await press('Measure');
    await measured[0]?.answer.come({ bytes: 900, archives: 1 } as Verified);
    expect(fact('This database')).toBe('900 B in 1 archive');
  });

  test('shows the reason in place of the size when an archive is damaged', async () => {
    inBrowser({});
    await part({ verify: () => Promise.reject(new FixpointError('CORRUPT', 'Block 7 is damaged.')) });
    await press('Measure');
    await waitFor(() =>
      expect(fact('This database')).toMatch(/Block 7 is damaged\..*Nothing was overwritten/),
    );
  });

  test('ignores a measurement from before the storage was compacted', async () => {
    inBrowser({});
    const { measured } = await part({ compact: async () => undefined as never });
    await press('Measure');
    await progress(measured[0]?.options, 3, 10);
    await press('Compact');
    await screen.findByText('Storage compacted.');
    await measured[0]?.answer.come({ bytes: 12_300, archives: 10 } as Verified);
    expect([measured[0]?.options.signal?.aborted, fact('This database')]).toEqual([true, 'Measure']);
  });

  test('stops when the user leaves the page', async () => {
    inBrowser({});
    const { measured, go } = await part();
    await press('Measure');
    await go('/fp/databases');
    expect(measured[0]?.options.signal?.aborted).toBe(true);
  });
});

describe('a change to the storage', () => {
  test('disables other changes while it runs, and offers a new measurement afterwards', async () => {
    const state = inBrowser({});
    const compacted = waiting<void>();
    const { measured } = await part({ compact: () => compacted.promise as never });
    await press('Measure');
    await measured[0]?.answer.come({ bytes: 900, archives: 1 } as Verified);
    await press('Compact');
    const others = ['Compacting...', 'Use a new key', 'Ask the browser to keep the data'];
    expect(others.map(isDisabled)).toEqual([true, true, true]);
    state.usage = 1_000_000;
    await compacted.come();
    await screen.findByText('Storage compacted.');
    await waitFor(() => expect(fact('All databases')).toBe('1 MB'));
    expect([hasButton('Measure'), isDisabled('Compact'), isDisabled('Use a new key')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('encrypts everything with a new key, and shows the id of the key', async () => {
    inBrowser({});
    const asked: unknown[] = [];
    const rotated = waiting<{ keyId: string }>();
    await part({
      rotateKey: (options: unknown) => {
        asked.push(options);
        return rotated.promise as never;
      },
    });
    await press('Use a new key');
    expect([isDisabled('Encrypting again...'), isDisabled('Compact')]).toEqual([true, true]);
    await rotated.come({ keyId: '0123456789abcdef' });
    await screen.findByText('Encrypted again with the new key 01234567.');
    expect(asked).toEqual([{ rewrite: true }]);
  });

  test('reports a full disk, and allows another attempt', async () => {
    inBrowser({});
    await part({ compact: () => Promise.reject(new FixpointError('STORE_FULL')) });
    await press('Compact');
    expect((await screen.findByRole('alert')).textContent).toContain('This browser’s storage is full.');
    await waitFor(() => expect(isDisabled('Compact')).toBe(false));
  });
});
