import { ApiError, type Client, RequestFailed, UnexpectedAnswer } from '@reticle/sdk'
import type { Session } from '../session.ts'
import type { Secrets } from './given.ts'
import type { Kind, Ledger, Told } from './ledger.ts'
import type { People } from './people.ts'

/** What every part of a migration is given. */
export interface Migration {
  session: Session
  /** The server that everything goes to. */
  target: Client
  ledger: Ledger
  people: People
  secrets: Secrets
  /** Where archives are while they are on their way. */
  folder: string
}

/** One workspace: an organization, or what is personal. */
export interface Workspace {
  /** Asks the source about it. */
  source: Client
  /** The slug of the organization that it goes to; empty: the personal workspace. */
  organization: string
}

/** An object at the source. */
export interface Carried {
  kind: Kind
  from: number | string
  name: string
}

/**
 * Carries one object. What is refused, or fails, is told and does not keep the others from going; what is in the way of all of them, a
 * broken connection, a token that is none, ends the run.
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
    await ledger.untell(kind, from, 'refused') // in a former run
  } catch (thrown) {
    const reason = refusalOf(thrown)
    if (reason === undefined) throw thrown
    await ledger.note(kind, from, { key: null, exporting: null, restoring: null })
    await ledger.tell(kind, from, { what: 'failed', code: 'refused', reason })
  }
}

/** An object is not what it should be. */
export class Unfit extends Error {}

/** What one object was refused for; undefined: the next one would be as well. */
export function refusalOf(thrown: unknown): string | undefined {
  const isOfOne = [RequestFailed, UnexpectedAnswer, Unfit].some((kind) => thrown instanceof kind)
  if (isOfOne && thrown instanceof Error) return thrown.message
  if (!(thrown instanceof ApiError)) return undefined
  const isOfAll = thrown.status === 401 || thrown.status === 429 || thrown.status >= 500
  return isOfAll ? undefined : thrown.message
}

/** Tries what may be refused without harm to the rest; tells the reason where it is. @returns whether it was done */
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
