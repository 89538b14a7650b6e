/**
 * The limit of this machine: a server that only reads a request and answers with the same number of
 * bytes.
 */
import { createServer } from 'node:http';

const ANSWER = Buffer.alloc(1500, ' ');
const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => response.end(ANSWER));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
