import type { Principal } from '@reticle/contracts/principal'
import { invalid } from '@reticle/kit/errors'
import { allow, type Rule } from '@reticle/kit/policy'
import { noSuchObject } from '../field-error.ts'
import { standingIn } from '../roles.ts'

/** What may stand beside `organization_id` in a PATCH. */
const companions = new Set(['organization_id', 'source_storage', 'target_storage'])

/** Nothing else changes while something moves (`spec/api-workspace.md` 3.4). @throws DomainError invalid naming the field */
export function assertNothingElse(body: Readonly<Record<string, unknown>>): void {
  const sent = Object.keys(body).filter((key) => body[key] !== undefined)
  const others = sent.filter((key) => !companions.has(key))
  if (others.length === 0) return
  const text = 'This field cannot be changed together with organization_id.'
  throw invalid(Object.fromEntries(others.map((key) => [key, text])))
}

/**
 * The workspace that a body names has to exist, and the caller to be allowed to make such a thing there.
 *
 * @param isThere whether it exists; it is locked then
 * @throws DomainError invalid, forbidden
 */
export function assertMayEnter(
  rules: readonly Rule[],
  principal: Principal,
  organization_id: number | null,
  isThere: boolean,
): void {
  if (!isThere) throw invalid({ organization_id: noSuchObject(organization_id ?? 0) })
  allow(rules, 'create', principal, standingIn(principal, organization_id, []))
}

/** 400, though it is a matter of state: clients know it so. */
export const stillRunning =
  'Background processes are still running. Wait until they are finished, or cancel them.'

/** A wish to move something that the caller may delete. */
export interface AskedToMove<Row, Record, Body> {
  /** Locked. */
  row: Row
  before: Record
  body: Body
  /** Where it goes; null: the caller's own workspace. */
  organization_id: number | null
  /** Whether there is such an organization; it is locked then. */
  isThere: boolean
  is_busy?: boolean
}
