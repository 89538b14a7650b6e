/**
 * Sandboxes for the source text of map functions. An app passes its sandbox to `fixpoint(name, {
 * sandbox })`.
 */
export {
  type BrowserSandboxOptions,
  browserSandbox,
  type SandboxWorker,
} from '../platform/sandbox/browser-sandbox.ts';
export { type QuickJsOptions, quickJsSandbox } from '../platform/sandbox/quickjs-sandbox.ts';
export {
  type Emitted,
  SANDBOX_LIMITS,
  type Sandbox,
  type SandboxedMap,
  type SandboxLimits,
} from '../ports/sandbox.ts';
