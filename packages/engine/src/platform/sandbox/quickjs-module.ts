import wasmVariant from '@jitl/quickjs-ng-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';

/**
 * The package's types describe its CommonJS form, which has the default export one level deeper.
 */
const variant = wasmVariant as unknown as QuickJSSyncVariant;

/** Memory of the whole QuickJS machine, in pages of 64 KiB: 16 MiB at first, 128 MiB at most. */
const PAGES = { initial: 256, maximum: 2048 };

/** Loads a new QuickJS machine. Without `wasm`, Node reads the file from the package. */
export async function loadQuickJs(
  wasm: (() => Promise<ArrayBuffer>) | undefined,
): Promise<QuickJSWASMModule> {
  const wasmMemory = new WebAssembly.Memory(PAGES);
  const parts = wasm === undefined ? { wasmMemory } : { wasmMemory, wasmBinary: await wasm() };
  return newQuickJSWASMModuleFromVariant(newVariant(variant, parts));
}
