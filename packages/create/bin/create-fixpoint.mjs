#!/usr/bin/env node
import { main, processTerminal } from '../dist/main.js';

process.exitCode = await main(process.argv.slice(2), processTerminal());
