/**
 * Starts a proxy of the object store. The proxy answers some requests with 500 or 503, drops some
 * answers, and can reject all requests for some time.
 */
import { createServer, request } from 'node:http';

export class FaultyStore {
  faults = 0;
  rate = 0;
  isAway = false;
  #server;

  constructor(target) {
    const { hostname, port } = new URL(target);
    this.#server = createServer((asked, response) => {
      const isFault = this.isAway || Math.random() < this.rate;
      if (isFault) this.faults += 1;
      const kind = Math.random();
      if (isFault && (this.isAway || kind < 0.7)) {
        asked.resume();
        const status = kind < 0.35 ? 500 : 503;
        asked.on('end', () => response.writeHead(status).end('<Error><Code>SlowDown</Code></Error>'));
        return;
      }
      const options = { hostname, port, method: asked.method, path: asked.url, headers: asked.headers };
      const onward = request(options, (answer) => {
        // The store handled the request, but the answer is lost.
        if (isFault) {
          answer.resume().on('end', () => asked.socket.destroy());
          return;
        }
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => asked.socket.destroy());
      asked.on('error', () => onward.destroy());
      asked.pipe(onward);
    });
  }

  async listen() {
    await new Promise((done) => this.#server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${this.#server.address().port}`;
  }
}
