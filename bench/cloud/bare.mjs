/**
 * A server that only reads each request and answers with 1,500 bytes. It shows how fast any server
 * on this machine could be.
 */
import { createServer } from 'node:http';

const ANSWER = Buffer.alloc(1500, ' ');
const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => response.end(ANSWER));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
