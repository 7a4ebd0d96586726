import { ApiError, type Client, RequestFailed, UnexpectedAnswer } from '@reticle/sdk'
import type { CommandSession } from '../session/command-session.ts'
import type { Secrets } from './input-files.ts'
import type { MigratedKind, MigrationLedger, ObjectProblem } from './ledger.ts'
import type { UserMapping } from './user-mapping.ts'

/** Context of all parts of a migration. */
export interface Migration {
  session: CommandSession
  /** Server that objects are migrated to. */
  target: Client
  ledger: MigrationLedger
  people: UserMapping
  secrets: Secrets
  /** Folder for archives in transit. */
  folder: string
}

/** An organization, or the personal workspace. */
export interface MigrationWorkspace {
  /** Client of the source for this workspace. */
  source: Client
  /** Slug of the organization at the target; empty: the personal workspace. */
  organization: string
}

/** An object at the source. */
export interface MigratedObject {
  kind: MigratedKind
  from: number | string
  name: string
}

/**
 * Migrates one object. A rejection or failure of the object is recorded and does not stop the others. Errors that
 * affect all objects, such as a broken connection or an invalid token, end the run.
 */
export async function migrateObject(
  { ledger }: Migration,
  { kind, from, name }: MigratedObject,
  work: () => Promise<void>,
): Promise<void> {
  ledger.meet(kind, from)
  if (ledger.find(kind, from).name !== name) await ledger.note(kind, from, { name })
  try {
    await work()
    await ledger.removeProblem(kind, from, 'refused') // a problem of a former run
  } catch (thrown) {
    const reason = refusalOf(thrown)
    if (reason === undefined) throw thrown
    await ledger.note(kind, from, { key: null, exporting: null, restoring: null })
    await ledger.recordProblem(kind, from, { what: 'failed', code: 'refused', reason })
  }
}

/** Error for an object in an unexpected state. */
export class UnexpectedState extends Error {}

/** Returns the reason why one object was rejected; undefined for an error that affects all objects. */
export function refusalOf(thrown: unknown): string | undefined {
  const isOfOne = [RequestFailed, UnexpectedAnswer, UnexpectedState].some(
    (kind) => thrown instanceof kind,
  )
  if (isOfOne && thrown instanceof Error) return thrown.message
  if (!(thrown instanceof ApiError)) return undefined
  const isOfAll = thrown.status === 401 || thrown.status === 429 || thrown.status >= 500
  return isOfAll ? undefined : thrown.message
}

/** Runs an optional step and records the reason if it is rejected. @returns whether it succeeded */
export async function attemptStep(
  { ledger }: Migration,
  { kind, from }: Pick<MigratedObject, 'kind' | 'from'>,
  told: Omit<ObjectProblem, 'reason'>,
  work: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await work()
    return true
  } catch (thrown) {
    const reason = refusalOf(thrown)
    if (reason === undefined) throw thrown
    await ledger.recordProblem(kind, from, { ...told, reason })
    return false
  }
}
