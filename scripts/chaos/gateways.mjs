/** Runs the processes of one cloud like a supervisor, which restarts processes that end. */
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

const RESTART_MS = 200;

export class Gateways {
  kills = 0;
  /** Failed starts because a service was unreachable; each is retried until it is back. */
  refusedStarts = 0;
  /** Processes that accepted requests and ended by themselves, which must never happen. */
  ended = 0;
  #slots;
  #stopping = false;

  constructor(count, program, env) {
    this.#slots = Array.from({ length: count }, () => ({
      child: undefined,
      url: undefined,
      running: undefined,
    }));
    for (const slot of this.#slots) slot.running = this.#keep(slot, program, env);
  }

  async #keep(slot, program, env) {
    while (!this.#stopping) {
      slot.child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      let said = '';
      slot.child.stdout.on('data', (text) => {
        said += text;
        slot.url ??= /is ready: (\S+)/.exec(said)?.[1];
      });
      const code = await new Promise((done) => slot.child.once('exit', done));
      if (code !== null && slot.url !== undefined) this.ended += 1;
      else if (code === 1) this.refusedStarts += 1;
      slot.url = undefined;
      await pause(RESTART_MS);
    }
  }

  /** Returns a process that accepts requests; waits while there is none. */
  async pick() {
    for (;;) {
      const urls = this.#slots.flatMap(({ url }) => url ?? []);
      if (urls.length > 0) return urls[Math.floor(Math.random() * urls.length)];
      await pause(20);
    }
  }

  async allReady() {
    while (this.#slots.some(({ url }) => url === undefined)) await pause(50);
  }

  /** Kills a process during its work; in one of ten cases even the last one. */
  killOne() {
    const ready = this.#slots.filter(({ url }) => url !== undefined);
    if (ready.length < (Math.random() < 0.1 ? 1 : 2)) return;
    ready[Math.floor(Math.random() * ready.length)].child.kill('SIGKILL');
    this.kills += 1;
  }

  /** Kills all processes, and doesn't restart them. */
  kill() {
    this.#stopping = true;
    for (const { child } of this.#slots) child?.kill('SIGKILL');
  }
}
