/**
 * A server that does no work, which shows the limit that this machine sets to any server. It reads
 * each request and answers with 1,500 bytes.
 */
import { createServer } from 'node:http';

const ANSWER = Buffer.alloc(1500, ' ');
const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => response.end(ANSWER));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
