import { FixpointError } from '@fixpoint/protocol';
import type { QuickJSWASMModule } from 'quickjs-emscripten-core';
import { SANDBOX_LIMITS, type Sandbox, type SandboxedMap, type SandboxLimits } from '../../ports/sandbox.ts';
import { documentsJson, parseRows } from './sandbox-rows.ts';

/** Options of {@link quickJsSandbox}. */
export interface QuickJsOptions {
  /**
   * The WebAssembly file of `@jitl/quickjs-ng-wasmfile-release-sync`. Without it, Node reads the
   * file from the package.
   */
  readonly wasm?: () => Promise<ArrayBuffer>;
  /** Default {@link SANDBOX_LIMITS}. */
  readonly limits?: Partial<SandboxLimits>;
}

/**
 * Runs map functions with QuickJS in this thread, which is blocked while one runs. This sandbox is
 * meant for Node. QuickJS is loaded at the first use.
 */
export function quickJsSandbox({ wasm, limits: own }: QuickJsOptions = {}): Sandbox {
  const limits = { ...SANDBOX_LIMITS, ...own };
  let machine: Promise<QuickJSWASMModule> | undefined;

  /** Discards the QuickJS machine after any error that the map function itself didn't cause. */
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
