import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Whether the system describes processes in /proc (Linux). */
export const canLook: boolean = existsSync('/proc/self/status')

/** Returns the id of the worker process of a server. */
export function workerOf(pid: number): number {
  const [found] = workersOf(pid)
  if (found === undefined) throw new Error('there is no conversion process')
  return found
}

/** Returns the worker process; empty while it is being replaced. */
export const workersOf = (pid: number): number[] =>
  childrenOf(pid).filter((child) => /worker\.js/.test(read(child, 'cmdline')))

/** Returns the converters of a worker process, one for each used slot. */
export const convertersOf = (worker: number): number[] =>
  childrenOf(worker).filter((child) => /convert\.js/.test(read(child, 'cmdline')))

/** Memory of a worker process with its converters, in MiB. */
export const conversionMiB = (worker: number): number =>
  [worker, ...convertersOf(worker)].map(residentMiB).reduce((sum, one) => sum + one, 0)

/** Resident memory of a process, in MiB. */
export function residentMiB(pid: number): number {
  const [, kibibytes = 0] = /^VmRSS:\s+(\d+) kB/m.exec(read(pid, 'status')) ?? []
  return Number(kibibytes) / 1024
}

/** Returns the peak memory of a worker process with its converters during `run`, in MiB. */
export async function peakMiB(pid: number, run: () => Promise<void>): Promise<number> {
  let peak = conversionMiB(pid)
  const look = () => {
    peak = Math.max(peak, conversionMiB(pid))
  }
  const watch = setInterval(look, 10)
  try {
    await run()
  } finally {
    clearInterval(watch)
  }
  look()
  return peak
}

function childrenOf(pid: number): number[] {
  return threadsOf(pid)
    .flatMap((thread) => read(pid, `task/${thread}/children`).split(' '))
    .filter((one) => one !== '')
    .map(Number)
}

/** Empty for a process that has ended. */
function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** Empty for a process or thread that has ended. */
function read(pid: number, what: string): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8')
  } catch {
    return ''
  }
}
