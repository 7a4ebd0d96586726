import type { Grant, Rule, Standing } from '@reticle/kit/call/policy'

const users: Grant = { role: 'user' }

/** Permission to list the files of the share, which belongs to no organization. */
export const shareRules: readonly Rule[] = [
  { action: 'list', sandbox: users, leader: users, member: users },
]

export const shareStanding: Standing = {
  organization_id: null,
  organization_role: null,
  relations: [],
}
