import { ApiError, type Client, RequestFailed, UnexpectedAnswer } from '@reticle/sdk'
import type { CommandSession } from '../session.ts'
import type { Secrets } from './given.ts'
import type { Kind, Ledger, Told } from './ledger.ts'
import type { People } from './people.ts'

/** Context of all parts of a migration. */
export interface Migration {
  session: CommandSession
  /** Server that objects are migrated to. */
  target: Client
  ledger: Ledger
  people: People
  secrets: Secrets
  /** Folder for archives in transit. */
  folder: string
}

/** An organization, or the personal workspace. */
export interface Workspace {
  /** Client of the source for this workspace. */
  source: Client
  /** Slug of the organization at the target; empty: the personal workspace. */
  organization: string
}

/** An object at the source. */
export interface Carried {
  kind: Kind
  from: number | string
  name: string
}

/**
 * Migrates one object. A rejection or failure of the object is recorded and does not stop the others. Errors that
 * affect all objects, such as a broken connection or an invalid token, end the run.
 */
export async function carry(
  { ledger }: Migration,
  { kind, from, name }: Carried,
  work: () => Promise<void>,
): Promise<void> {
  ledger.meet(kind, from)
  if (ledger.find(kind, from).name !== name) await ledger.note(kind, from, { name })
  try {
    await work()
    await ledger.untell(kind, from, 'refused') // a problem of a former run
  } catch (thrown) {
    const reason = refusalOf(thrown)
    if (reason === undefined) throw thrown
    await ledger.note(kind, from, { key: null, exporting: null, restoring: null })
    await ledger.tell(kind, from, { what: 'failed', code: 'refused', reason })
  }
}

/** Error for an object in an unexpected state. */
export class Unfit extends Error {}

/** Returns the reason why one object was rejected; undefined for an error that affects all objects. */
export function refusalOf(thrown: unknown): string | undefined {
  const isOfOne = [RequestFailed, UnexpectedAnswer, Unfit].some((kind) => thrown instanceof kind)
  if (isOfOne && thrown instanceof Error) return thrown.message
  if (!(thrown instanceof ApiError)) return undefined
  const isOfAll = thrown.status === 401 || thrown.status === 429 || thrown.status >= 500
  return isOfAll ? undefined : thrown.message
}

/** Runs an optional step and records the reason if it is rejected. @returns whether it succeeded */
export async function attempt(
  { ledger }: Migration,
  { kind, from }: Pick<Carried, 'kind' | 'from'>,
  told: Omit<Told, 'reason'>,
  work: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await work()
    return true
  } catch (thrown) {
    const reason = refusalOf(thrown)
    if (reason === undefined) throw thrown
    await ledger.tell(kind, from, { ...told, reason })
    return false
  }
}
