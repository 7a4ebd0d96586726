import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../config.ts'

/** State of an unfinished command, so that the same command resumes after Ctrl-C, a kill or in another process. */
export interface Journal {
  /** Short hash of the command and its arguments. */
  mark: string
  read(): Promise<Noted | undefined>
  /** Updates the state and stores it before the next step. */
  note(changes: Noted): Promise<void>
  forget(): Promise<void>
}

export interface Noted {
  /** Idempotency key of the creation. */
  idempotency_key?: string
  /** Id of the created task. */
  task_id?: number
  /** Idempotency key of the request. */
  start_key?: string | undefined
  /** Id and date of the started request; ids may be reused. */
  rq_id?: string | undefined
  created_date?: string | undefined
}

/** Age in milliseconds after which the state is deleted: longer than the service keeps unfinished uploads. */
const longestMs = 24 * 3600 * 1000

/**
 * Opens the state of a command.
 *
 * @param about everything that identifies the command: server, target, options, files
 */
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
      await rename(`${path}.new`, path) // atomic
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
    // The file is written atomically, so invalid content was written by another program.
    if (isMissing(thrown) || thrown instanceof SyntaxError) return undefined
    throw thrown
  }
}

/** Deletes the state of abandoned commands. */
async function dropOld(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const path = join(folder, name)
    const times = await stat(path).catch(() => undefined)
    if (times && Date.now() - times.mtimeMs > longestMs) await rm(path, { force: true })
  }
}
