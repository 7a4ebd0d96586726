import { sumOf } from './suites.mjs'

/** The sum of all suites that were run with `RETICLE_TEST_COUNTS_FILE`, on one line. */
console.log(sumOf(process.argv[2]))
