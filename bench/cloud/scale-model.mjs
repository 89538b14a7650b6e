/**
 * Simulates the fan-out of many gateway processes: hints, reads of rows, and cursors of followers.
 * Follows `packages/cloud/src/gateway/following/fan-out.ts`. A test compares both
 * (`packages/cloud/tests/scale-model.test.ts`).
 *
 * `node bench/cloud/scale-model.mjs` prints what 1,000, 100,000 and 10,000,000 people need.
 */

/** Queue of events, ordered by time and then by age. */
class Queue {
  #heap = [];
  #age = 0;

  get size() {
    return this.#heap.length;
  }

  add(atMs, run) {
    const heap = this.#heap;
    heap.push({ atMs, age: this.#age++, run });
    for (let at = heap.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (isBefore(heap[parent], heap[at])) break;
      [heap[parent], heap[at]] = [heap[at], heap[parent]];
      at = parent;
    }
  }

  take() {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (heap.length === 0) return first;
    heap[0] = last;
    for (let at = 0; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < heap.length && isBefore(heap[child], heap[least])) least = child;
      if (least === at) return first;
      [heap[least], heap[at]] = [heap[at], heap[least]];
      at = least;
    }
  }
}

const isBefore = (one, other) => one.atMs < other.atMs || (one.atMs === other.atMs && one.age < other.age);

/** Returns a function that returns numbers from 0 to 1, the same ones for the same seed. */
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Simulates commits, and returns what the gateways did.
 *
 * - `followers`: one list for each ledger, of the gateway of each follower
 * - `commits`: times and ledgers, in order
 * - `busy`: the share of its time that the database works; undefined for reads that all take
 *   `readMs`
 */
export function simulate({
  gateways,
  followers,
  commits,
  seed = 1,
  hintMs = 1,
  lostHints = 0,
  readMs = 1,
  busy = undefined,
  sweepMs = 1000,
  pageRows = 200,
}) {
  const random = randomOf(seed);
  const queue = new Queue();
  const counts = {
    commits: commits.length,
    hints: 0,
    reads: 0,
    rowsRead: 0,
    events: 0,
    rowsSent: 0,
    sweeps: 0,
  };
  // The time in a queue with random arrivals and random work.
  const readTime = () => (busy === undefined ? readMs : (-Math.log(1 - random()) * readMs) / (1 - busy));
  const delays = [];
  /** Times of the rows of each ledger; the cursor is an index into them. */
  const rows = followers.map(() => []);
  const channels = Array.from({ length: gateways }, () => new Map());
  followers.forEach((places, ledger) => {
    for (const gateway of places) {
      const channel = channels[gateway].get(ledger) ?? { ledger, count: 0, cursor: 0, isRunning: false };
      channel.count += 1;
      channels[gateway].set(ledger, channel);
    }
  });
  /** A hint during a read causes one more read. */
  const look = (channel, atMs) => {
    if (channel.isRunning) channel.again = true;
    else read(channel, atMs);
  };
  const read = (channel, atMs) => {
    channel.isRunning = true;
    channel.again = false;
    const head = Math.min(rows[channel.ledger].length, channel.cursor + pageRows);
    counts.reads += 1;
    counts.rowsRead += head - channel.cursor;
    queue.add(atMs + readTime(), (now) => {
      const news = rows[channel.ledger].slice(channel.cursor, head);
      if (news.length > 0) counts.events += channel.count;
      counts.rowsSent += news.length * channel.count;
      for (const madeAt of news) delays.push(now - madeAt);
      channel.cursor = head;
      channel.isRunning = false;
      const hasMore = news.length === pageRows && head < rows[channel.ledger].length;
      if (hasMore || channel.again) read(channel, now);
    });
  };
  const lastMs = commits.at(-1)?.atMs ?? 0;
  const sweep = (gateway) => (now) => {
    counts.sweeps += 1;
    for (const channel of channels[gateway].values())
      if (channel.cursor < rows[channel.ledger].length) look(channel, now);
    if (now <= lastMs + sweepMs) queue.add(now + sweepMs, sweep(gateway));
  };
  channels.forEach((_, gateway) => {
    // Processes start at different moments.
    queue.add(((gateway + 1) / gateways) * sweepMs, sweep(gateway));
  });
  for (const { atMs, ledger } of commits)
    queue.add(atMs, (now) => {
      rows[ledger].push(now);
      for (const channel of channels.map((all) => all.get(ledger))) {
        counts.hints += 1;
        if (channel === undefined || random() < lostHints) continue;
        queue.add(now + hintMs, (later) => look(channel, later));
      }
    });
  while (queue.size > 0) {
    const { atMs, run } = queue.take();
    run(atMs);
  }
  const missing = channels.flatMap((all) =>
    [...all.values()].map(({ ledger, cursor }) => rows[ledger].length - cursor),
  );
  return { ...counts, missing: missing.reduce((sum, one) => sum + one, 0), delayMs: quantiles(delays) };
}

function quantiles(values) {
  const sorted = Float64Array.from(values).sort();
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  return { median: at(0.5), p99: at(0.99), max: at(1) };
}

/** Assumptions about people. They aren't measured: change them to those of your application. */
export const PEOPLE = {
  /** Share of people who use the application on a day, and at the busiest moment. */
  daily: 0.3,
  online: 0.05,
  commitsADay: 40,
  /** Commits of the busiest moment, in multiples of the average. */
  peak: 4,
  peopleInLedger: 4,
  ledgersOfPerson: 3,
  bytesOfCommit: 4000,
};

/** Measured on two shared cores: docs/scale.md, "Throughput of each part". */
export const MEASURED = {
  commitsOfGateway: 1000,
  socketsOfGateway: 10_000,
  bytesOfSocket: 150_000,
  putsOfDatabase: 1100,
  readsOfDatabase: 1900,
  /** `bench/cloud/postgres-core.mjs` measured these on one core of a busy machine. */
  putsOfCore: 460,
  readsOfCore: 1400,
  tableBytesOfPut: 1400,
  logBytesOfPut: 2000,
  hintsOfNotify: 9000,
  hintsOfNats: 427_000,
};

/** Returns the needs of many people at the busiest moment, with half of each part in reserve. */
export function needs(people, assumed = PEOPLE, measured = MEASURED) {
  const { daily, online, commitsADay, peak, peopleInLedger, ledgersOfPerson, bytesOfCommit } = assumed;
  const commits = (people * daily * commitsADay * peak) / 86_400;
  const sockets = people * online;
  const half = (part) => part / 2;
  const gateways = Math.max(
    2,
    Math.ceil(Math.max(commits / half(measured.commitsOfGateway), sockets / half(measured.socketsOfGateway))),
  );
  // One read in each process that has a follower of the ledger.
  const followersOfCommit = peopleInLedger * Math.min(1, online * peak);
  const readsOfCommit = gateways * (1 - (1 - 1 / gateways) ** followersOfCommit);
  const reads = commits * readsOfCommit;
  const databases = Math.max(
    1,
    Math.ceil(commits / half(measured.putsOfDatabase) + reads / half(measured.readsOfDatabase)),
  );
  return {
    people,
    ledgers: (people * ledgersOfPerson) / peopleInLedger,
    commits,
    sockets,
    gateways,
    databases,
    databaseCores: commits / half(measured.putsOfCore) + reads / half(measured.readsOfCore),
    followersOfCommit,
    reads,
    /** Hints that each process receives in a second, if all processes share one bus. */
    hints: commits,
    hintsDelivered: commits * gateways,
    gatewayBytes: (sockets / gateways) * measured.bytesOfSocket,
    rowsADay: people * daily * commitsADay,
    objectBytesADay: people * daily * commitsADay * bytesOfCommit,
    tableBytesADay: people * daily * commitsADay * measured.tableBytesOfPut,
    logBytesADay: people * daily * commitsADay * measured.logBytesOfPut,
  };
}

/**
 * Simulates seconds of the busiest moment. Simulates only the ledgers that change and have
 * followers. Ledgers are chosen with a preference for few of them, as in `skew` of a Zipf law.
 */
export function simulateNeeds(
  { commits, gateways, followersOfCommit },
  { seconds = 10, seed = 1, ...more } = {},
) {
  const random = randomOf(seed);
  const count = Math.round(commits * seconds);
  const ledgers = Math.max(1, Math.round(count / 2));
  const followers = Array.from({ length: ledgers }, () => {
    // At least the device that writes.
    const some = 1 + Math.floor(random() * 2 * followersOfCommit);
    return Array.from({ length: some }, () => Math.floor(random() * gateways));
  });
  const made = Array.from({ length: count }, () => ({
    atMs: random() * seconds * 1000,
    ledger: Math.floor(ledgers * random() ** 2),
  })).sort((one, other) => one.atMs - other.atMs);
  return simulate({ gateways, followers, commits: made, seed, ...more });
}

const number = (value) => Math.round(value).toLocaleString('en');
/** Half of each part is in reserve, so the database works half of the time. */
const AT_HALF = { busy: 0.5, readMs: 1000 / MEASURED.readsOfCore };

function print() {
  for (const people of [1000, 100_000, 10_000_000]) {
    const need = needs(people);
    console.log(`\n${number(people)} people`);
    for (const [name, value] of Object.entries(need)) console.log(`  ${name.padEnd(20)} ${number(value)}`);
    for (const lostHints of [0, 0.01]) {
      const { delayMs, ...counts } = simulateNeeds(need, { lostHints, ...AT_HALF });
      const each = (value) => (value / Math.max(1, counts.commits)).toFixed(2);
      console.log(
        `  ${lostHints * 100} % of hints lost: ${each(counts.reads)} reads, ${each(counts.events)} events a commit; ` +
          `missing ${counts.missing}; delay ${Object.values(delayMs)
            .map((ms) => ms.toFixed(1))
            .join(' / ')} ms`,
      );
    }
  }
}

if (process.argv[1] === import.meta.filename) print();
