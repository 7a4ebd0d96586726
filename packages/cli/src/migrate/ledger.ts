import { createHash, randomUUID } from 'node:crypto'
import { appendFile, mkdir, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { usageFailure } from '../failures/failure.ts'
import { isMissing } from '../session/config.ts'

/** Kinds of migrated objects, named as in the API; an archive is a backup in a file. */
export type MigratedKind =
  | 'organization'
  | 'membership'
  | 'cloud_storage'
  | 'project'
  | 'task'
  | 'job'
  | 'issue'
  | 'webhook'
  | 'archive'

/** State of the migration of one object. `null` unsets a member. */
export interface ObjectState {
  name?: string
  /** Id at the target, or the slug of an organization. */
  to?: number | string | null
  /** Idempotency key for creating the object at the target. */
  key?: string | null
  /** Requests that export the backup at the source and restore it at the target. */
  exporting?: string | null
  restoring?: string | null
  /** Whether a project is migrated task by task, because it could not be backed up as a whole. */
  is_in_parts?: boolean
  /** Whether stages and states of jobs were copied; later changes belong to the target. */
  is_described?: boolean
  /** Whether the storages of imports and exports were set. */
  is_stored?: boolean
  /** Whether owner and assignee were set. */
  is_assigned?: boolean
  /** Object counts: compared on both sides, or those of a restored archive at the target. */
  counts?: ObjectCounts
  /** For archives: number of restored tasks. */
  tasks?: number
  /** For tasks: numbers of added issues and comments. */
  issues?: number
  comments?: number
  told?: readonly ObjectProblem[]
}

export interface ObjectCounts {
  frames: number
  tags: number
  shapes: number
  tracks: number
}

/**
 * A problem of an object. `failed`: it is missing; `left`: the user has to act; `changed`: it differs from the
 * source.
 */
export interface ObjectProblem {
  what: 'failed' | 'left' | 'changed'
  code: string
  reason: string
}

export interface MigrationEntry extends ObjectProblem {
  kind: MigratedKind
  /** Id at the source. */
  from: string
  name: string
}

/** Ledger of a migration: one line per step, so that a killed run loses no finished step. */
export interface MigrationLedger {
  find(kind: MigratedKind, from: number | string): ObjectState
  /** Updates the state of an object and stores it before the next step. */
  note(kind: MigratedKind, from: number | string, changes: ObjectState): Promise<void>
  /** Returns the idempotency key for creating an object; the first call generates and stores it. */
  keyOf(kind: MigratedKind, from: number | string): Promise<string>
  /** Records a problem, once per code. */
  recordProblem(kind: MigratedKind, from: number | string, told: ObjectProblem): Promise<void>
  /** Removes a solved problem. */
  removeProblem(kind: MigratedKind, from: number | string, code: string): Promise<void>
  /** Records that this run has reached the object. */
  meet(kind: MigratedKind, from: number | string): void
  all(): LedgerRow[]
}

export interface LedgerRow {
  kind: MigratedKind
  from: string
  noted: ObjectState
  isMet: boolean
}

/**
 * Opens the ledger in a folder, or creates it.
 *
 * @param about source and target of the migration, which must match an existing ledger
 * @throws Failure if the folder belongs to another migration or its ledger cannot be read
 */
export async function openLedger(
  folder: string,
  about: Readonly<Record<string, string>>,
): Promise<MigrationLedger> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'ledger.jsonl')
  const lines = await linesOf(path)
  const [first] = lines
  const append = (line: object) => appendFile(path, `${JSON.stringify(line)}\n`, { mode: 0o600 })
  if (!first) await append({ about })
  else if (JSON.stringify(first.about) !== JSON.stringify(about))
    throw usageFailure(
      `${folder} holds another migration (${wordsOf(first.about)})`,
      'Name a folder of its own with --folder.',
    )
  const objects = new Map<string, Omit<LedgerRow, 'isMet'>>()
  const met = new Set<string>()
  const find: MigrationLedger['find'] = (kind, from) => objects.get(`${kind} ${from}`)?.noted ?? {}
  const merge: (...line: Parameters<MigrationLedger['note']>) => void = (kind, from, changes) => {
    const noted = { ...find(kind, from), ...changes }
    objects.set(`${kind} ${from}`, { kind, from: String(from), noted })
  }
  for (const { kind, from, ...changes } of lines.slice(1)) merge(kind, from, changes)
  const note: MigrationLedger['note'] = async (kind, from, changes) => {
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
    async recordProblem(kind, from, told) {
      await note(kind, from, { told: [...otherProblems(find(kind, from), told.code), told] })
    },
    async removeProblem(kind, from, code) {
      const noted = find(kind, from)
      const others = otherProblems(noted, code)
      if (others.length < (noted.told ?? []).length) await note(kind, from, { told: others })
    },
    meet: (kind, from) => void met.add(`${kind} ${from}`),
    all: () => [...objects].map(([at, row]) => ({ ...row, isMet: met.has(at) })),
  }
}

const otherProblems = ({ told = [] }: ObjectState, besides: string) =>
  told.filter(({ code }) => code !== besides)

/** The first line describes the migration, all others one object each. */
type LedgerLine = ObjectState & { about?: unknown; kind: MigratedKind; from: string }

/** Drops an incomplete last line, which a killed run left; its step is repeated. */
async function linesOf(path: string): Promise<LedgerLine[]> {
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
      throw usageFailure(
        `${path}, line ${at + 1}: it is no JSON`,
        'Delete the line, and run it again.',
      )
    }
  })
}

const wordsOf = (about: unknown) => Object.values(Object(about)).join(' to ')

/** Returns a short hash of a text. */
export const markOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)
