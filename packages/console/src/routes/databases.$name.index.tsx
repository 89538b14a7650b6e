export * from './databases.$name._index.tsx';
