/**
 * Messages between a page and the worker that runs map functions. Each request except `close` has
 * one answer.
 */
export type SandboxRequest =
  | { readonly id: number; readonly do: 'open'; readonly map: number; readonly source: string }
  | { readonly id: number; readonly do: 'run'; readonly map: number; readonly documents: string }
  | { readonly id: number; readonly do: 'close'; readonly map: number };

export type SandboxAnswer =
  | { readonly id: number; readonly ok: true; readonly rows: string }
  | { readonly id: number; readonly ok: false; readonly message: string; readonly lost: boolean };
