import { restOperations } from '@reticle/contracts/api/index'
import type { Grant, Rule } from '@reticle/kit/call/policy'
import { rules } from '@reticle/standalone/rules'
import { rightsOf, withoutRule } from './operation-rights.ts'
import { actions, footnotes, introduction, relations, titles } from './permission-words.ts'

/** Generates `docs/permissions.md` from the rules. */
export function permissionsPage(): string {
  const parts = Object.entries(rules).map(([resource, rows]) => part(resource, rows))
  return [introduction, ...parts, free(), footnotes].join('\n')
}

/** Actions without an operation are omitted. */
function part(resource: string, rows: readonly Rule[]): string {
  const lines = rows.flatMap((rule) => {
    const calls = callsOf(`${resource} ${rule.action}`)
    if (calls.length === 0) return []
    const cells = [cell(rule.sandbox), ...inOrganization(rule)]
    return `| ${[wordsOf(resource, rule.action), ...cells, calls.join(', ')].join(' | ')} |`
  })
  const head = `| What | Without an organization | Owner, maintainer | Supervisor, worker | Calls |
|---|---|---|---|---|`
  return `## ${titles[resource] ?? missing(resource)}\n\n${head}\n${lines.join('\n')}\n`
}

function free(): string {
  const lines = Object.entries(withoutRule).map(
    ([users, names]) => `- ${users}: ${names.map(callOf).join(', ')}`,
  )
  return `## Operations without a rule\n\n${lines.join('\n')}\n`
}

function callsOf(right: string): string[] {
  const names = Object.entries(rightsOf).filter(([, rights]) => rights.includes(right))
  return names.map(([name]) => callOf(name))
}

function callOf(name: string): string {
  const { method, path } = restOperations.find((one) => one.name === name) ?? missing(name)
  return `\`${method} ${path.replace(/:(\w+)/g, '{$1}').replace(/\/$/, '')}\``
}

/** Members have no rights on objects that belong to no organization. */
function inOrganization({ sandbox, leader, member }: Rule): string[] {
  const isElsewhere = leader === 'nobody' && member === 'nobody' && sandbox !== 'nobody'
  return isElsewhere ? ['–', '–'] : [cell(leader), cell(member)]
}

function cell(grant: Grant | 'nobody'): string {
  if (grant === 'nobody') return 'administrators only'
  const users = grant.is?.map((one) => relations[one] ?? one).join(', or ') ?? 'all'
  return grant.role === 'any' ? users : `${users}; at least ${grant.role}`
}

const wordsOf = (resource: string, action: string): string =>
  actions[`${resource} ${action}`] ?? actions[action] ?? missing(`${resource} ${action}`)

function missing(name: string): never {
  throw new Error(`tools/codegen has no words for "${name}"`)
}
