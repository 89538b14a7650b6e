export * from 'fixpoint/fireproof';
export { ImgFile, type ImgFileProps } from './files/img-file.tsx';
export {
  type FireproofAttachState,
  FireproofCtx,
  type UseFireproof,
  type UseFireproofConfig,
  useFireproof,
} from './use-fireproof.ts';
