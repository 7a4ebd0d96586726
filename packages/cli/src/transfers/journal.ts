import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../config.ts'

/** What an unfinished command has reached, so that the same command goes on there: after Ctrl-C, after a kill, in another process. */
export interface Journal {
  /** Stands for the command and what it is about; short. */
  mark: string
  read(): Promise<Noted | undefined>
  /** Changes what is noted, and keeps it before anything else is done. */
  note(changes: Noted): Promise<void>
  forget(): Promise<void>
}

export interface Noted {
  /** Under it a creation is done once, however often it is sent. */
  idempotency_key?: string
  /** What was created. */
  task_id?: number
  /** Under it a request is started once. */
  start_key?: string | undefined
  /** The request that was started, and when: ids are used again. */
  rq_id?: string | undefined
  created_date?: string | undefined
}

/** Longer than the service keeps what is unfinished. */
const longestMs = 24 * 3600 * 1000

/** @param about Whatever makes it the same command: server, target, options, files */
export function openJournal(cacheDir: string, command: string, about: unknown): Journal {
  const text = JSON.stringify([command, about])
  const mark = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const folder = join(cacheDir, 'commands')
  const path = join(folder, `${mark}.json`)
  let noted: Noted | undefined
  return {
    mark,
    async read() {
      noted = await readNoted(path)
      return noted
    },
    async note(changes) {
      noted = { ...noted, ...changes }
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(`${path}.new`, JSON.stringify(noted), { mode: 0o600 })
      await rename(`${path}.new`, path) // whole, or not at all
    },
    async forget() {
      noted = undefined
      await rm(path, { force: true })
      await dropOld(folder)
    },
  }
}

async function readNoted(path: string): Promise<Noted | undefined> {
  try {
    const { mtimeMs } = await stat(path)
    return Date.now() - mtimeMs < longestMs ? JSON.parse(await readFile(path, 'utf8')) : undefined
  } catch (thrown) {
    // Whole or not there: what cannot be read was written by something else.
    if (isMissing(thrown) || thrown instanceof SyntaxError) return undefined
    throw thrown
  }
}

/** What nobody came back for. */
async function dropOld(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const path = join(folder, name)
    const times = await stat(path).catch(() => undefined)
    if (times && Date.now() - times.mtimeMs > longestMs) await rm(path, { force: true })
  }
}
