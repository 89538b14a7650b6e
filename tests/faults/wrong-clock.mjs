/**
 * Is preloaded into a server, and shifts the server's clock by `CLOCK_AHEAD_MS`. SIGUSR2 toggles
 * the shift.
 */
const Right = Date;
const aheadMs = Number(process.env.CLOCK_AHEAD_MS);
let isWrong = true;
process.on('SIGUSR2', () => {
  isWrong = !isWrong;
});
const now = () => Right.now() + (isWrong ? aheadMs : 0);
globalThis.Date = class extends Right {
  constructor(...args) {
    if (args.length === 0) super(now());
    else super(...args);
  }
  static now() {
    return now();
  }
};
