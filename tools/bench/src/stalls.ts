import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/**
 * Loaded before a measured program (`node --import`): on SIGUSR2 it writes the milliseconds that the event loop was
 * blocked since the last time to the file named by `BENCH_STALLS`. Child processes measure nothing.
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
