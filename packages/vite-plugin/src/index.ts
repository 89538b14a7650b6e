/**
 * The console beside an application: databases belong to an origin, so a console that is to show those of an application in development has to come
 * from the application's own dev server.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';
import { answerConsole } from './answer-console.ts';

export interface FixpointConsoleOptions {
  /** The folder of a built console. That of `@fixpoint/console` unless it is given. */
  readonly folder?: string;
}

/** Where the built console lies. It is looked up only when a dev server asks. */
const ownConsole = (): string =>
  join(dirname(createRequire(import.meta.url).resolve('@fixpoint/console/package.json')), 'dist');

/**
 * Serves the console at `/fp/databases` of Vite's dev server: it shows the databases that the application made in this browser. Builds for production
 * and `vite preview` know nothing of it. Only GET and HEAD below `/fp/` are answered (and `GET /fp`, which leads there), so a proxy to the storage
 * gateway (`PUT /fp`) works beside it.
 */
export function fixpointConsole({ folder = ownConsole() }: FixpointConsoleOptions = {}): Plugin {
  return {
    name: 'fixpoint-console',
    apply: (_config, { command, isPreview }) => command === 'serve' && isPreview !== true,
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        answerConsole(folder, request, response).then((answered) => answered || next(), next);
      });
      server.httpServer?.once('listening', () => {
        const address = server.resolvedUrls?.local[0];
        const origin = address === undefined ? '' : new URL(address).origin;
        server.config.logger.info(
          `  Fixpoint: the databases of this application are at ${origin}/fp/databases`,
        );
      });
    },
  };
}
