import type { Principal } from '@reticle/contracts/rest/principal'
import { assertPermitted, type Rule, type Standing } from '@reticle/kit/call/policy'

/**
 * Checks a PATCH: it requires the view permission and the permission of every key in the body.
 *
 * @param rights action behind each key of the body
 */
export function allowPatch<K extends string>(
  rules: readonly Rule[],
  rights: Readonly<Record<K, string>>,
  body: Partial<Record<K, unknown>>,
  principal: Principal,
  standing: Standing,
): void {
  assertPermitted(rules, 'view', principal, standing)
  for (const action of actionsOf(rights, body)) assertPermitted(rules, action, principal, standing)
}

function actionsOf<K extends string>(
  rights: Readonly<Record<K, string>>,
  body: Partial<Record<K, unknown>>,
): Set<string> {
  const sent = Object.entries(body).filter(([, value]) => value !== undefined)
  const actions = new Map(Object.entries<string>(rights))
  return new Set(sent.flatMap(([key]) => actions.get(key) ?? []))
}
