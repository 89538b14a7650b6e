import { createApp } from 'vue';
import ShoppingList from './shopping-list.vue';

createApp(ShoppingList).mount('#root');
