#!/usr/bin/env node
/**
 * Starts Debian's Firefox for Playwright, which drives it over WebDriver BiDi. Between the two is a
 * relay: Playwright sends each new page a command to override media features, which this version of
 * Firefox doesn't know, and without an answer no page opens. The relay answers this one command
 * itself, and passes on all others.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { WebSocket, WebSocketServer } from 'ws';

const FIREFOX = process.env.FIREFOX_PATH ?? '/usr/bin/firefox-esr';
const READY = /WebDriver BiDi listening on (ws:\/\/\S+)/;
const UNKNOWN = '"method":"emulation.setMediaFeaturesOverride"';

const firefox = spawn(FIREFOX, process.argv.slice(2), { stdio: ['inherit', 'inherit', 'pipe'] });
firefox.once('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => firefox.kill(signal));

createInterface({ input: firefox.stderr }).on('line', (line) => {
  const target = READY.exec(line)?.[1];
  if (target === undefined) process.stderr.write(`${line}\n`);
  else listen(target);
});

function listen(target) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 }, () => {
    process.stderr.write(`WebDriver BiDi listening on ws://127.0.0.1:${server.address().port}\n`);
  });
  server.on('connection', (client, { url }) => relay(client, new WebSocket(target + url)));
}

function relay(client, browser) {
  const opened = new Promise((resolve) => browser.once('open', resolve));
  client.on('message', async (data) => {
    const text = String(data);
    await opened;
    if (text.includes(UNKNOWN)) client.send(success(JSON.parse(text).id));
    else browser.send(text);
  });
  browser.on('message', (data) => client.send(String(data)));
  browser.on('close', () => client.close());
  // Playwright has ended, perhaps without telling Firefox.
  client.on('close', () => firefox.kill());
}

const success = (id) => JSON.stringify({ type: 'success', id, result: {} });
