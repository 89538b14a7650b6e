/** @jsxImportSource solid-js */
import { render } from 'solid-js/web';
import { Tasks } from './tasks.tsx';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no root');
render(() => <Tasks />, root);
