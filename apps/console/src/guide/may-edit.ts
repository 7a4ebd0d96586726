import type { BasicUser, User } from '@reticle/sdk'

/** What a guide is of: a project or a task. */
export interface Guided {
  owner: BasicUser | null
  assignee: BasicUser | null
  organization: number | null
}

/** Whether somebody is shown the editor; in an organization the service knows roles better and says no where it has to. */
export function mayEdit(self: Pick<User, 'id' | 'is_superuser'> | null | undefined, of: Guided) {
  if (!self) return false
  const isStaff = of.owner?.id === self.id || of.assignee?.id === self.id
  return self.is_superuser || isStaff || of.organization !== null
}
