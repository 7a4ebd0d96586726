import { ready } from './ready.mjs'
import { runSuites } from './suites.mjs'

ready()
process.exitCode = await runSuites(['unit', 'contract', 'e2e'], process.argv.slice(2))
