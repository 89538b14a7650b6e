#!/usr/bin/env node
import { main, processTerminal } from '../dist/create-app.js';

process.exitCode = await main(process.argv.slice(2), processTerminal());
