#!/usr/bin/env node
import { existsSync } from 'node:fs'

const main = new URL('../dist/main.js', import.meta.url)
if (existsSync(main)) await import(main.href)
else {
  process.stderr.write('reticle: it is not built yet. Run `npm run build` first.\n')
  process.exitCode = 1
}
