import { randomInt } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

/**
 * Below the range of ports for outgoing connections (Linux begins at 32768): a client that repeatedly connects to a
 * stopped server on a port of that range can connect to itself, and block the port permanently.
 */
const range = [20_000, 32_000] as const

/**
 * Returns a loopback port that is free at this moment and reserved for this process among all that use this function:
 * its server may start a minute later. The caller must be ready to try another, because other programs do not reserve ports.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...range)
    if ((await isFree(port)) && reserve(port)) return port
  }
}

/** A file for each reserved port, with the id of the process that reserved it. */
const folder = join(tmpdir(), `reticle-ports-${userInfo().uid}`)
const reserved = new Set<string>()

function reserve(port: number): boolean {
  const file = join(folder, String(port))
  mkdirSync(folder, { recursive: true })
  if (isHeld(file)) return false
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
  } catch {
    return false // another process was faster
  }
  if (reserved.size === 0) process.once('exit', release)
  reserved.add(file)
  return true
}

/** Removes the file of a process that has ended. */
function isHeld(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0)
    return true
  } catch {
    rmSync(file, { force: true })
    return false
  }
}

function release(): void {
  for (const file of reserved) rmSync(file, { force: true })
}

/** Returns `count` different free ports. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await freePort())
  return [...ports]
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
