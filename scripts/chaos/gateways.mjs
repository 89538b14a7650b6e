/**
 * Runs the gateway processes of one cloud, and restarts a process that exits, as a supervisor
 * would.
 */
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

const RESTART_MS = 200;

export class Gateways {
  kills = 0;
  /** Number of starts that failed because a service was unreachable. Failed starts are retried. */
  refusedStarts = 0;
  /**
   * Number of processes that exited by themselves after they had started, which must never happen.
   */
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

  /** Returns the URL of a process that accepts requests. Waits while there is none. */
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

  /** Kills a process during its work. Spares the last running process in nine of ten cases. */
  killOne() {
    const ready = this.#slots.filter(({ url }) => url !== undefined);
    if (ready.length < (Math.random() < 0.1 ? 1 : 2)) return;
    ready[Math.floor(Math.random() * ready.length)].child.kill('SIGKILL');
    this.kills += 1;
  }

  /** Kills all processes without restarting them. */
  kill() {
    this.#stopping = true;
    for (const { child } of this.#slots) child?.kill('SIGKILL');
  }
}
