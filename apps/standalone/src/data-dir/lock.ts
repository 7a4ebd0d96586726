import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { link, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

interface Holder {
  pid: number
  /** Start time of the process, because the system may reuse its id. */
  started: string
}

/**
 * Locks a data directory by a file `lock` with process id and start time. The lock of a dead process is taken over.
 *
 * @returns function that releases the lock
 * @throws Error with one sentence for the terminal when a living process holds it, or the directory is not writable
 */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  const path = join(dataDir, 'lock')
  const mine = JSON.stringify({ pid: process.pid, started: startOf(process.pid) ?? '' })
  await makeWritable(dataDir)

  while (!(await create(path, mine))) {
    const found = await readFile(path, 'utf8').catch(() => undefined)
    if (found === undefined) continue // released at this moment
    const holder = parse(found)
    if (holder && startOf(holder.pid) === holder.started) throw new Error(refusal(dataDir, holder))
    if (await takeOver(path, mine, found)) break
  }
  return async () => {
    if ((await readFile(path, 'utf8').catch(() => '')) === mine) await rm(path, { force: true })
  }
}

async function makeWritable(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o755 })
    await rm(await mkdtemp(join(dataDir, 'lock.')), { recursive: true })
  } catch (cause) {
    const code = cause instanceof Error ? Reflect.get(cause, 'code') : cause
    const sentence = `Nothing can be written to the data directory ${dataDir} (${code}): make it a folder that this account may write to, or choose another one with RETICLE_DATA_DIR.`
    throw new Error(sentence, { cause })
  }
}

/** Creates a file by writing it under another name and linking it, so that it is never visible without its content. */
async function create(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, content, { mode: 0o644 })
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

const guardMs = 10_000

/**
 * Replaces the lock of a dead process in one rename, so that the file always exists. Of several starts that found the
 * same dead holder, one at a time enters, and only the first still finds it.
 */
async function takeOver(path: string, mine: string, dead: string): Promise<boolean> {
  const guard = `${path}.takeover`
  if (!(await enter(guard))) {
    await sleep(10)
    return false
  }
  try {
    if ((await readFile(path, 'utf8').catch(() => undefined)) !== dead) return false
    const draft = `${path}.${randomBytes(6).toString('hex')}`
    await writeFile(draft, mine, { mode: 0o644 })
    await rename(draft, path)
    return true
  } finally {
    await rm(guard, { recursive: true, force: true })
  }
}

/** Enters the guard of a takeover. An older guard belongs to a start that was killed meanwhile, and is removed. */
async function enter(guard: string): Promise<boolean> {
  const isMade = await mkdir(guard).then(
    () => true,
    () => false,
  )
  if (isMade) return true
  const made = await stat(guard).catch(() => undefined)
  if (made && Date.now() - made.mtimeMs > guardMs) await rm(guard, { recursive: true, force: true })
  return false
}

function parse(text: string): Holder | undefined {
  try {
    const { pid, started } = JSON.parse(text)
    return Number.isInteger(pid) && typeof started === 'string' ? { pid, started } : undefined
  } catch {
    return undefined
  }
}

/** Returns the start time of a process in the format of the system; undefined without such a process. */
function startOf(pid: number): string | undefined {
  if (process.platform === 'linux') return startOnLinux(pid)
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (!(error instanceof Error && Reflect.get(error, 'code') === 'EPERM')) return undefined
  }
  if (process.platform === 'win32') return 'running'
  return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
}

function startOnLinux(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in brackets, may contain any characters; field 22 counts from the last bracket. Z: dead, but not yet
    // reaped.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return undefined
  }
}

const refusal = (dataDir: string, { pid }: Holder) =>
  `Reticle already runs on the data directory ${dataDir} (process ${pid}): stop it first, or choose another directory with RETICLE_DATA_DIR.`
