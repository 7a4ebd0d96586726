import { type ResourceLimits, Worker } from 'node:worker_threads'

export interface ThreadOptions {
  /** The thread finds it in `workerData.data`; it must survive structured cloning. */
  data: unknown
  resourceLimits?: ResourceLimits
}

/**
 * Starts a thread whose entry is a module beside the caller: `startThread('./convert', import.meta.url, ...)`. Built
 * programs start it plainly. Sources need a loader for TypeScript inside of the thread, which Node 20 does not inherit.
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
