import { isFixpointError } from '@fixpoint/protocol';
import { expect, test } from 'vitest';
import { long } from '../../../tests/budget.fixture.ts';
import { sha256 } from '../../codec/sha256.ts';
import { seededRandom } from '../../testing/seeded-random.ts';
import { append, commit, type LogState, openLog, readRow, shrink } from './opfs-log.ts';
import { type SimulatedFiles, simulatedFiles } from './simulated-sync-files.fixture.ts';

const LONG_BYTES = 90_000;

function open(simulated: SimulatedFiles, isKnown = false): LogState {
  const random = seededRandom(1);
  return openLog(
    { files: simulated.files, sha256, randomBytes: (count) => random.bytes(count), isStrict: true },
    isKnown,
  );
}

function put(log: LogState, key: string, bytes: Uint8Array | undefined): void {
  append(log, [{ key, bytes }]);
  commit(log);
}

const filled = (n: number, length = 3) => new Uint8Array(length).fill(n);

test('[R2] keeps each acknowledged write if power is lost at any call, also during a rewrite', long, () => {
  const before = simulatedFiles();
  let calls = 0;
  const lost: { acknowledged: number; after: SimulatedFiles }[] = [];
  let acknowledged = 0;
  const random = seededRandom(7);
  before.beforeCall = () => {
    calls += 1;
    for (let n = 0; n < 3; n++) lost.push({ acknowledged, after: before.afterPowerLoss(random) });
  };
  const log = open(before);
  const [opened] = [calls];
  for (let n = 1; n <= 20; n++) {
    put(log, 'long', filled(n, LONG_BYTES));
    put(log, `short-${n}`, filled(n));
    acknowledged = n;
  }
  expect(log.generation).toBeGreaterThan(2);
  for (const { acknowledged: last, after } of lost.slice(3 * opened)) {
    const again = open(after, last > 0);
    for (let n = 1; n <= last; n++) expect(readRow(again, `short-${n}`)).toEqual(filled(n));
    if (last > 0) expect([last, last + 1]).toContain(readRow(again, 'long')?.[0]);
    put(again, 'next', filled(1));
  }
});

test(
  '[R2] keeps each acknowledged write if a tab is closed during a rewrite, and power is lost in the next open',
  long,
  () => {
    const writes = (log: LogState, written: () => void) => {
      for (let n = 1; n <= 8; n++) {
        put(log, 'long', filled(n, LONG_BYTES));
        put(log, `short-${n}`, filled(n));
        written();
      }
    };
    const random = seededRandom(9);
    let isOver = false;
    for (let closedAt = 1; !isOver; closedAt++) {
      const simulated = simulatedFiles();
      const log = open(simulated);
      let [calls, acknowledged] = [0, 0];
      simulated.beforeCall = () => {
        calls += 1;
        if (calls >= closedAt) throw new Error('closed');
      };
      try {
        writes(log, () => {
          acknowledged += 1;
        });
        isOver = true;
      } catch {
        // The tab is closed. The browser keeps what it wrote.
      }
      const lost: SimulatedFiles[] = [];
      simulated.beforeCall = () => void lost.push(simulated.afterPowerLoss(random));
      open(simulated, true);
      for (const after of lost) {
        const again = open(after, true);
        for (let n = 1; n <= acknowledged; n++) expect(readRow(again, `short-${n}`)).toEqual(filled(n));
      }
    }
  },
);

test('[R3] keeps each write after a rewrite that failed at any call, even if power is lost', () => {
  const random = seededRandom(11);
  let isOver = false;
  for (let failsAt = 1; !isOver; failsAt++) {
    const simulated = simulatedFiles();
    const log = open(simulated);
    put(log, 'long', filled(1, 2 * LONG_BYTES));
    put(log, 'long', filled(1));
    let calls = 0;
    simulated.beforeCall = () => {
      calls += 1;
      if (calls === failsAt) throw new Error('EIO');
    };
    try {
      shrink(log);
    } catch (cause) {
      expect(cause).toEqual(new Error('EIO'));
    }
    isOver = calls < failsAt;
    simulated.beforeCall = () => undefined;
    put(log, 'later', filled(2));
    for (let times = 0; times < 50; times++) {
      const again = open(simulated.afterPowerLoss(random), true);
      expect(readRow(again, 'later')).toEqual(filled(2));
      expect(readRow(again, 'long')).toEqual(filled(1));
    }
  }
});

test('[R4] rejects a store in which any byte is flipped, or still reads the same rows', () => {
  const simulated = simulatedFiles();
  const log = open(simulated);
  for (let n = 0; n < 4; n++) put(log, `key-${n}`, filled(n, 20));
  const content = simulated.content();
  content.forEach((bytes, file) => {
    for (let at = 0; at < bytes.length; at++) {
      const damaged = content.map((one) => one.slice());
      (damaged[file] as Uint8Array)[at] = (bytes[at] as number) ^ 1;
      try {
        const again = open(simulatedFiles(damaged), true);
        for (let n = 0; n < 4; n++) expect(readRow(again, `key-${n}`)).toEqual(filled(n, 20));
      } catch (cause) {
        if (!isFixpointError(cause, 'CORRUPT')) throw cause;
      }
    }
  });
});

test('[R10] rejects a write without space, and accepts writes again when there is space', () => {
  const simulated = simulatedFiles();
  const log = open(simulated);
  put(log, 'a', filled(1));
  simulated.limit = 400;
  expect(() => put(log, 'b', filled(2, 1000))).toThrow(expect.objectContaining({ code: 'STORE_FULL' }));
  expect(readRow(log, 'a')).toEqual(filled(1));
  put(log, 'a', undefined);
  simulated.limit = undefined;
  put(log, 'c', filled(3));
  const again = open(simulatedFiles(simulated.content()), true);
  expect([...again.rows.keys()]).toEqual(['c']);
});

test('[R10] rejects a write without space whose length is an error code, as in Chromium', () => {
  const simulated = simulatedFiles();
  const log = open(simulated);
  put(log, 'a', filled(1));
  const [file] = simulated.files.logs;
  const { write } = file;
  file.write = (bytes, at) => {
    write(bytes.subarray(0, 9), at);
    return 2 ** 32 - 8;
  };
  expect(() => put(log, 'b', filled(2))).toThrow(expect.objectContaining({ code: 'STORE_FULL' }));
  file.write = write;
  put(log, 'c', filled(3));
  const again = open(simulatedFiles(simulated.content()), true);
  expect([...again.rows.keys()]).toEqual(['a', 'c']);
});

test('[R3] rejects a write whose length the format cannot store, and accepts later writes', () => {
  const simulated = simulatedFiles();
  const log = open(simulated);
  // Only the lengths of these values count, because the write is rejected before they are copied.
  const half = { length: 2 ** 31 } as Uint8Array;
  const changes = ['a', 'b'].map((key) => ({ key, bytes: half }));
  expect(() => append(log, changes)).toThrow(expect.objectContaining({ code: 'LIMIT_REACHED' }));
  put(log, 'c', filled(1));
  expect([...open(simulatedFiles(simulated.content()), true).rows.keys()]).toEqual(['c']);
});

test('reports a store whose files are empty as lost', () => {
  expect(() => open(simulatedFiles(), true)).toThrow(expect.objectContaining({ code: 'STORE_LOST' }));
});
