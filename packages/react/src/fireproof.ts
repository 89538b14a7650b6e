export * from 'fixpoint/fireproof';
export {
  FireproofImgFile as ImgFile,
  type FireproofImgFileProps as ImgFileProps,
} from './files/img-file.tsx';
export {
  type AllDocsResult,
  type ChangesResult,
  type FireproofAttachState,
  FireproofCtx,
  type LiveQueryResult,
  type UseDocumentResult,
  type UseFireproof,
  type UseFireproofConfig,
  useFireproof,
} from './use-fireproof.ts';
