export * from './databases._index.tsx';
