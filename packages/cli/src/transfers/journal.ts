import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../session/config.ts'

/** State of an unfinished command, so that the same command resumes after Ctrl-C, a kill or in another process. */
export interface Journal {
  /** Short hash of the command and its arguments. */
  mark: string
  read(): Promise<JournalState | undefined>
  /** Updates the state and stores it before the next step. */
  note(changes: JournalState): Promise<void>
  forget(): Promise<void>
}

export interface JournalState {
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
 * @param identity everything that identifies the command: server, target, options, files
 */
export function openJournal(cacheDir: string, command: string, identity: unknown): Journal {
  const text = JSON.stringify([command, identity])
  const mark = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const folder = join(cacheDir, 'commands')
  const path = join(folder, `${mark}.json`)
  let state: JournalState | undefined
  return {
    mark,
    async read() {
      state = await readState(path)
      return state
    },
    async note(changes) {
      state = { ...state, ...changes }
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(`${path}.new`, JSON.stringify(state), { mode: 0o600 })
      await rename(`${path}.new`, path) // atomic
    },
    async forget() {
      state = undefined
      await rm(path, { force: true })
      await dropOld(folder)
    },
  }
}

async function readState(path: string): Promise<JournalState | undefined> {
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
