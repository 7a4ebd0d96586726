import type { Grant, Rule } from '@reticle/kit/policy'
import { rules } from '@reticle/standalone/rules'

/** `docs/permissions.md`: the rules as people read them. */
export function permissionsPage(): string {
  const parts = Object.entries(rules).map(([resource, rows]) => part(resource, rows))
  return `# Permissions

Written by \`npm run codegen\` from the rules of the services. Administrators may do everything. A cell names how somebody has to
stand to the object and, in brackets, the least global role; "anybody" still has to be signed in.

${parts.join('\n\n')}
`
}

function part(resource: string, rows: readonly Rule[]): string {
  const title = resource.replace('_', ' ')
  const lines = rows.map(
    (rule) =>
      `| ${rule.action} | ${cell(rule.sandbox)} | ${cell(rule.leader)} | ${cell(rule.member)} |`,
  )
  const head =
    '| Action | Without an organization | Owner, maintainer | Supervisor, worker |\n|---|---|---|---|'
  return `## ${title.charAt(0).toUpperCase()}${title.slice(1)}\n\n${head}\n${lines.join('\n')}`
}

function cell(grant: Grant | 'nobody'): string {
  if (grant === 'nobody') return 'nobody'
  const who = grant.is?.join(' or ') ?? 'anybody'
  return grant.role === 'any' ? who : `${who} (${grant.role})`
}
