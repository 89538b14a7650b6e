import { mount } from 'svelte';
import Board from './board.svelte';

mount(Board, { target: document.getElementById('root') });
