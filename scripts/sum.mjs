import { sumOf } from './suites.mjs'

/** Prints the sum of all suites that ran with `RETICLE_TEST_COUNTS_FILE`, on one line. */
console.log(sumOf(process.argv[2] ?? ''))
