/**
 * Serves the console next to an application. Databases belong to an origin, so a console can show
 * the databases of an application in development only if the application's own dev server serves
 * the console.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';
import { answerConsole } from './answer-console.ts';

export interface FixpointConsoleOptions {
  /** Folder of a built console; the default is the folder of `@fixpoint/console`. */
  readonly folder?: string;
}

/** Returns the folder of the built console in `@fixpoint/console`. */
const ownConsole = (): string =>
  join(dirname(createRequire(import.meta.url).resolve('@fixpoint/console/package.json')), 'dist');

/**
 * Serves the console at `/fp/databases` of Vite's dev server, where it shows the databases that the
 * application created in this browser. Production builds and `vite preview` don't include the
 * console. The plugin answers only GET and HEAD for `/fp` and the paths below it, so a proxy to the
 * storage gateway (`PUT /fp`) can use the same paths.
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
