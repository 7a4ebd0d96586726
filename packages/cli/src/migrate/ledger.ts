import { createHash, randomUUID } from 'node:crypto'
import { appendFile, mkdir, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../config.ts'
import { misused } from '../failure.ts'

/** What is carried, by the words of the interface; an archive is a backup in a file. */
export type Kind =
  | 'organization'
  | 'membership'
  | 'cloud_storage'
  | 'project'
  | 'task'
  | 'job'
  | 'issue'
  | 'webhook'
  | 'archive'

/** What one object has become, as far as it has come. `null` takes a member back. */
export interface Noted {
  name?: string
  /** Its id at the target, the slug of an organization. */
  to?: number | string | null
  /** Under it the target makes it once. */
  key?: string | null
  /** The request that writes its backup at the source, and the one that restores it at the target. */
  exporting?: string | null
  restoring?: string | null
  /** Of a project: there is no backup of it as a whole, so its tasks go one by one. */
  is_in_parts?: boolean
  /** Stages and states of jobs are as they were; after that they are the target's own. */
  is_described?: boolean
  /** Imports come from the buckets that they came from, and exports go there. */
  is_stored?: boolean
  /** So are owner and assignee. */
  is_assigned?: boolean
  /** What was counted: on both sides, of an archive at the target. */
  counts?: Counts
  /** Of an archive: tasks that it has become. */
  tasks?: number
  /** Of a task: issues and comments that were added. */
  issues?: number
  comments?: number
  told?: readonly Told[]
}

export interface Counts {
  frames: number
  tags: number
  shapes: number
  tracks: number
}

/** What did not go through as it was. `failed`: it is missing; `left`: somebody has to do something; `changed`: it is not the same. */
export interface Told {
  what: 'failed' | 'left' | 'changed'
  code: string
  reason: string
}

export interface Entry extends Told {
  kind: Kind
  /** Its id at the source. */
  from: string
  name: string
}

/** The notes of a migration: a line for each step, so that a run that was killed loses none that was made. */
export interface Ledger {
  find(kind: Kind, from: number | string): Noted
  /** Changes what is known of an object, and keeps it before anything else is done. */
  note(kind: Kind, from: number | string, changes: Noted): Promise<void>
  /** The key under which an object is made, until it is known what came of it. */
  keyOf(kind: Kind, from: number | string): Promise<string>
  /** Tells what did not go through, once for each code. */
  tell(kind: Kind, from: number | string, told: Told): Promise<void>
  /** It is not so any more. */
  untell(kind: Kind, from: number | string, code: string): Promise<void>
  /** This run has come to it. */
  meet(kind: Kind, from: number | string): void
  all(): LedgerRow[]
}

export interface LedgerRow {
  kind: Kind
  from: string
  noted: Noted
  isMet: boolean
}

/**
 * Opens the notes in a folder, or begins them.
 *
 * @param about From where to where: notes of another migration are not gone on with
 * @throws Failure where the folder belongs to another migration, or its notes cannot be read
 */
export async function openLedger(
  folder: string,
  about: Readonly<Record<string, string>>,
): Promise<Ledger> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'ledger.jsonl')
  const lines = await linesOf(path)
  const [first] = lines
  const append = (line: object) => appendFile(path, `${JSON.stringify(line)}\n`, { mode: 0o600 })
  if (!first) await append({ about })
  else if (JSON.stringify(first.about) !== JSON.stringify(about))
    throw misused(
      `${folder} holds another migration (${wordsOf(first.about)})`,
      'Name a folder of its own with --folder.',
    )
  const objects = new Map<string, Omit<LedgerRow, 'isMet'>>()
  const met = new Set<string>()
  const find: Ledger['find'] = (kind, from) => objects.get(`${kind} ${from}`)?.noted ?? {}
  const merge: (...line: Parameters<Ledger['note']>) => void = (kind, from, changes) => {
    const noted = { ...find(kind, from), ...changes }
    objects.set(`${kind} ${from}`, { kind, from: String(from), noted })
  }
  for (const { kind, from, ...changes } of lines.slice(1)) merge(kind, from, changes)
  const note: Ledger['note'] = async (kind, from, changes) => {
    await append({ kind, from, ...changes })
    merge(kind, from, changes)
  }
  return {
    find,
    note,
    async keyOf(kind, from) {
      const known = find(kind, from).key
      if (known) return known
      const key = randomUUID()
      await note(kind, from, { key })
      return key
    },
    async tell(kind, from, told) {
      await note(kind, from, { told: [...toldBut(find(kind, from), told.code), told] })
    },
    async untell(kind, from, code) {
      const noted = find(kind, from)
      const others = toldBut(noted, code)
      if (others.length < (noted.told ?? []).length) await note(kind, from, { told: others })
    },
    meet: (kind, from) => void met.add(`${kind} ${from}`),
    all: () => [...objects].map(([at, row]) => ({ ...row, isMet: met.has(at) })),
  }
}

const toldBut = ({ told = [] }: Noted, besides: string) =>
  told.filter(({ code }) => code !== besides)

/** The first says what it is about, all others are of objects. */
type Line = Noted & { about?: unknown; kind: Kind; from: string }

/** Half a line at the end is dropped: the run was killed while it was written, and what it says is found out again. */
async function linesOf(path: string): Promise<Line[]> {
  const text = await readFile(path, 'utf8').catch((thrown) => {
    if (isMissing(thrown)) return ''
    throw thrown
  })
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  if (whole.length < text.length) await truncate(path, Buffer.byteLength(whole))
  const lines = whole.split('\n').slice(0, -1)
  return lines.map((line, at) => {
    try {
      return JSON.parse(line)
    } catch {
      throw misused(`${path}, line ${at + 1}: it is no JSON`, 'Delete the line, and run it again.')
    }
  })
}

const wordsOf = (about: unknown) => Object.values(Object(about)).join(' to ')

/** Short, and the same for the same text. */
export const markOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)
