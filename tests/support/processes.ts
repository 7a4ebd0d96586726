import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Processes as the system tells of them, where it does. */
export const canLook: boolean = existsSync('/proc/self/status')

/** The conversion process of a Reticle. */
export function workerOf(pid: number): number {
  const [found] = workersOf(pid)
  if (found === undefined) throw new Error('there is no conversion process')
  return found
}

/** It alone; none while it is being replaced. */
export const workersOf = (pid: number): number[] =>
  childrenOf(pid).filter((child) => /worker\.js/.test(read(child, 'cmdline')))

/** The converters of a conversion process, one for each slot that is used. */
export const convertersOf = (worker: number): number[] =>
  childrenOf(worker).filter((child) => /convert\.js/.test(read(child, 'cmdline')))

/** Memory of a conversion process with its converters. */
export const conversionMiB = (worker: number): number =>
  [worker, ...convertersOf(worker)].map(residentMiB).reduce((sum, one) => sum + one, 0)

/** Memory that is in use. */
export function residentMiB(pid: number): number {
  const [, kibibytes = 0] = /^VmRSS:\s+(\d+) kB/m.exec(read(pid, 'status')) ?? []
  return Number(kibibytes) / 1024
}

/** The most memory of a conversion process with its converters at any time during `run`. */
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

/** Of a process that is gone, none. */
function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** Nothing of a process, or a thread, that is gone. */
function read(pid: number, what: string): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8')
  } catch {
    return ''
  }
}
