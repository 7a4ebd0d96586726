import { type ResourceLimits, Worker } from 'node:worker_threads'

export interface ThreadOptions {
  /** Data for `workerData.data` of the thread; it must survive structured cloning. */
  data: unknown
  resourceLimits?: ResourceLimits
}

/**
 * Starts a thread whose entry is a module beside the caller: `startThread('./convert', import.meta.url, ...)`. A built
 * program needs no more. Sources need a TypeScript loader inside the thread, which Node 20 does not inherit.
 */
export function startThread(entry: string, base: string, options: ThreadOptions): Worker {
  const { data, resourceLimits } = options
  if (!base.endsWith('.ts'))
    return new Worker(new URL(`${entry}.js`, base), { workerData: { data }, resourceLimits })
  const loader = import.meta.resolve('tsx/esm/api')
  const url = new URL(`${entry}.ts`, base).href
  const execArgv = ['--conditions=@reticle/source']
  return new Worker(bootstrap, {
    eval: true,
    execArgv,
    workerData: { data, loader, url },
    resourceLimits,
  })
}

const bootstrap = `
  const { workerData } = require('node:worker_threads')
  import(workerData.loader).then(({ register }) => {
    register()
    return import(workerData.url)
  })
`
