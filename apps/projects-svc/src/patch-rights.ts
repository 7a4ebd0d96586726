import type { Principal } from '@reticle/contracts/principal'
import { allow, type Rule, type Standing } from '@reticle/kit/policy'

/**
 * A PATCH needs the view right and the right of every key that is sent (`spec/api-workspace.md` 1.8).
 *
 * @param rights the action behind each key of the body
 */
export function allowPatch<K extends string>(
  rules: readonly Rule[],
  rights: Readonly<Record<K, string>>,
  body: Partial<Record<K, unknown>>,
  principal: Principal,
  standing: Standing,
): void {
  allow(rules, 'view', principal, standing)
  for (const action of actionsOf(rights, body)) allow(rules, action, principal, standing)
}

function actionsOf<K extends string>(
  rights: Readonly<Record<K, string>>,
  body: Partial<Record<K, unknown>>,
): Set<string> {
  const sent = Object.entries(body).filter(([, value]) => value !== undefined)
  const actions = new Map(Object.entries<string>(rights))
  return new Set(sent.flatMap(([key]) => actions.get(key) ?? []))
}
