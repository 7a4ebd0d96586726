import type { Principal } from '@reticle/contracts/rest/principal'
import { invalid } from '@reticle/kit/call/errors'
import { assertPermitted, type Rule } from '@reticle/kit/call/policy'
import { noSuchObject } from '../bodies/field-error.ts'
import { standingIn } from './roles.ts'

/** Fields allowed together with `organization_id` in a PATCH. */
const companions = new Set(['organization_id', 'source_storage', 'target_storage'])

/** Rejects other changes in the same request as a move. @throws DomainError invalid naming the field */
export function assertNothingElse(body: Readonly<Record<string, unknown>>): void {
  const sent = Object.keys(body).filter((key) => body[key] !== undefined)
  const others = sent.filter((key) => !companions.has(key))
  if (others.length === 0) return
  const text = 'This field cannot be changed together with organization_id.'
  throw invalid(Object.fromEntries(others.map((key) => [key, text])))
}

/**
 * Checks that the target workspace exists and that the caller may create such an object in it.
 *
 * @param isThere whether it exists; it is then locked
 * @throws DomainError invalid, forbidden
 */
export function assertMayEnter(
  rules: readonly Rule[],
  principal: Principal,
  organization_id: number | null,
  isThere: boolean,
): void {
  if (!isThere) throw invalid({ organization_id: noSuchObject(organization_id ?? 0) })
  assertPermitted(rules, 'create', principal, standingIn(principal, organization_id, []))
}

/** Error text of a move during running requests. The status is 400 although it is a conflict of state, because existing clients expect it. */
export const stillRunning =
  'Background processes are still running. Wait until they are finished, or cancel them.'

/** Request to move an object that the caller may delete. */
export interface WorkspaceMove<Row, Record, Body> {
  /** Locked row. */
  row: Row
  before: Record
  body: Body
  /** Target organization; null: the caller's personal workspace. */
  organization_id: number | null
  /** Whether the organization exists; it is then locked. */
  isThere: boolean
  is_busy?: boolean
}

/** Target of a move: a workspace and the new owner. */
export interface MoveTarget {
  /** Null: the personal workspace of the owner. */
  organization_id: number | null
  owner_id: number
}
