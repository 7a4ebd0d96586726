import { readdir, readFile } from 'node:fs/promises'
import { residentMiB } from './server.ts'

/**
 * Measures a run: milliseconds, and the MiB by which the server and each of its child processes grow, largest first.
 */
export async function watchProcesses<R>(
  pid: number,
  run: () => Promise<R>,
): Promise<{ result: R; ms: number; growths: number[] }> {
  const rest = new Map<number, number>()
  const growths = new Map<number, number>()
  const look = async () => {
    for (const one of await familyOf(pid)) {
      const now = residentMiB(one)
      const before = rest.get(one) ?? now
      rest.set(one, before)
      growths.set(one, Math.max(growths.get(one) ?? 0, now - before))
    }
  }
  await look()
  const watch = setInterval(look, 100)
  try {
    const began = performance.now()
    const result = await run()
    const ms = performance.now() - began
    return { result, ms, growths: [...growths.values()].sort((one, next) => next - one) }
  } finally {
    clearInterval(watch)
  }
}

/** Returns a process and all its descendants. */
async function familyOf(root: number): Promise<number[]> {
  const parents = new Map<number, number>()
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const isOurs = (pid: number): boolean =>
    pid === root || (parents.has(pid) && isOurs(parents.get(pid) ?? 0))
  return [...parents.keys()].filter(isOurs)
}
