import { FixpointError } from '@fixpoint/protocol';
import type { QuickJSWASMModule } from 'quickjs-emscripten-core';
import { SANDBOX_LIMITS, type Sandbox, type SandboxedMap, type SandboxLimits } from '../../ports/sandbox.ts';
import { documentsJson, parseRows } from './sandbox-rows.ts';

/** How the sandbox is made. */
export interface QuickJsOptions {
  /**
   * The WebAssembly file of `@jitl/quickjs-ng-wasmfile-release-sync`; without it Node reads the
   * file from the package.
   */
  readonly wasm?: () => Promise<ArrayBuffer>;
  /** Default {@link SANDBOX_LIMITS}. */
  readonly limits?: Partial<SandboxLimits>;
}

/**
 * QuickJS in this thread, which stands still while a map function runs: for Node. Loaded when first
 * used.
 */
export function quickJsSandbox({ wasm, limits: own }: QuickJsOptions = {}): Sandbox {
  const limits = { ...SANDBOX_LIMITS, ...own };
  let machine: Promise<QuickJSWASMModule> | undefined;

  /** Whatever is no failure of the function itself leaves a machine that nothing runs in again. */
  function guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      if (cause instanceof FixpointError) throw cause;
      machine = undefined;
      throw new FixpointError('MAP_FAILED', String(cause), { cause });
    }
  }

  return {
    open: async (source): Promise<SandboxedMap> => {
      const [{ openQuickJsMap }, { loadQuickJs }] = await Promise.all([
        import('./quickjs-map.ts'),
        import('./quickjs-module.ts'),
      ]);
      machine ??= loadQuickJs(wasm);
      const mine = machine;
      const module = await mine.catch((cause: unknown) => {
        machine = undefined;
        throw new FixpointError('MAP_FAILED', 'the sandbox could not be loaded', { cause });
      });
      const map = guarded(() => openQuickJsMap(module, source, limits, () => performance.now()));
      return {
        run: async (documents) => {
          if (machine !== mine) throw new FixpointError('MAP_FAILED', 'the sandbox was ended');
          const json = documentsJson(documents);
          return parseRows(
            guarded(() => map.run(json)),
            documents.length,
          );
        },
        close: () => {
          if (machine === mine) map.close();
        },
      };
    },
  };
}
