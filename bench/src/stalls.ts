import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/**
 * Loaded before a program that is measured (`node --import`): on SIGUSR2 it writes how long the event loop was held since
 * the last time, in ms, to the file that `BENCH_STALLS` names. Programs that it starts measure nothing.
 */
const file = process.env.BENCH_STALLS
if (file && process.argv[1]?.endsWith('main.js')) {
  const delays = monitorEventLoopDelay({ resolution: 5 })
  delays.enable()
  process.on('SIGUSR2', () => {
    writeFileSync(file, JSON.stringify({ p99: delays.percentile(99) / 1e6, max: delays.max / 1e6 }))
    delays.reset()
  })
}
