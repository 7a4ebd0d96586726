import { prepareCheckout } from './ready.mjs'
import { runSuites } from './suites.mjs'

prepareCheckout()
process.exitCode = await runSuites(['unit', 'contract', 'e2e'], process.argv.slice(2))
